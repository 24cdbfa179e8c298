import { Contact } from '../../db/entities/contacts.ts';
import { notFound } from '../../lib/checks/errors.ts';
import { listMemberships } from '../../domain/membership/members/list-memberships.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import * as schema from './segment-schema.ts';
import { route, type RouteSpec } from '../route/route.ts';

export const segmentMemberships: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/contacts/{id}/segments',
    operationId: 'listContactSegments',
    access: 'contacts:read',
    summary:
      'List the segments and lists that contain a contact; with explain=true, all dynamic segments with the reasons',
    description: 'With `explain=true` each dynamic segment says which of its conditions hold for the contact.',
    params: IdParams,
    query: schema.MembershipQuery,
    responses: { 200: { schema: listOf(schema.Membership) } },
    handler: async ({ em, principal, params, query }) => {
      const { id } = params;
      if (!(await em.findOne(Contact, { id }, { fields: ['id'] }))) throw notFound('contact', id);
      return {
        body: await listMemberships(em, principal.tenantId, id, query, ({ segment, since, explanation, build }) => ({
          id: segment.id,
          name: segment.name,
          type: segment.type,
          addedAt: since?.toISOString() ?? null,
          ...(query.explain
            ? {
                member: since !== null,
                build: build && { beganAt: build.from.toISOString(), endedAt: build.to?.toISOString() ?? null },
                explanation,
              }
            : {}),
        })),
      };
    },
  }),
];
