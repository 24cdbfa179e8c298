import { Type } from 'typebox';
import { mergeContacts, mergeViolations } from '../../domain/contacts/people/merge-contacts.ts';
import { Id, IdParams, strict } from '../route/schemas.ts';
import { presentContact } from './presenter.ts';
import { Contact } from './schema.ts';
import { assertIfMatch, route, type RouteSpec } from '../route/route.ts';

export const mergeRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/contacts/{id}/merge',
    operationId: 'mergeContacts',
    summary: 'Merge another contact into this one',
    access: 'contacts:write',
    description:
      'The target (`id`) keeps its id, address and values. Empty fields are filled from the source (`sourceId`); tags and custom fields are combined; the stricter status wins. ' +
      "The source's activities, scores, lists, emails, submissions and executions move to the target, and the source is deleted. If both are in the same campaign, the source's " +
      'execution is stopped (`merged`).',
    params: IdParams,
    body: strict({ sourceId: Type.Integer({ ...Id, examples: [3] }) }),
    responses: { 200: { schema: Contact } },
    errors: ['conflict', 'precondition_failed'],
    check: ({ params, body }) => mergeViolations(params.id, body.sourceId),
    handler: async ({ em, caller, params, body, ifMatch }) => {
      const merged = await mergeContacts(em, caller, params.id, body.sourceId, (version) =>
        assertIfMatch(ifMatch, version),
      );
      return { body: presentContact(merged) };
    },
  }),
];
