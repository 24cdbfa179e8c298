import { Type } from 'typebox';
import { Suppression, SUPPRESSION_REASONS } from '../../../db/entities/email-recipients.ts';
import { normaliseEmail } from '../../../lib/addresses/email.ts';
import { isViolation } from '../../../lib/checks/violation.ts';
import { listSuppressions } from '../../../domain/emails/consent/list-suppressions.ts';
import { addSuppression, removeSuppression } from '../../../domain/emails/consent/suppressions.ts';
import { assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { Id, IdParams, listOf, listQuery, nullable, oneOf, strict, Timestamp, writable } from '../../route/schemas.ts';
import { created, noContent, route, type RouteSpec } from '../../route/route.ts';

const reason = oneOf(SUPPRESSION_REASONS, { examples: ['manual'] });
const email = Type.String({ maxLength: 1000, examples: ['someone@example.com'] });
const Answer = strict(
  {
    id: Id,
    email: nullable(Type.String({ description: 'The address in normalised form; null if it was erased' })),
    reason,
    source: nullable(Type.String({ description: 'Where the suppression came from: `api`, `import` or `email`' })),
    tenantId: Type.String(),
    createdAt: Timestamp,
  },
  { title: 'Suppression' },
);
const Create = writable({ email, reason: Type.Optional(reason) }, ['id', 'source', 'tenantId', 'createdAt']);
const Query = listQuery(['id', 'createdAt'], { email: Type.Optional(email), reason: Type.Optional(reason) });

const present = ({ id, emailKey, reason: why, source, tenantId, createdAt }: Suppression) => ({
  id,
  email: emailKey.startsWith('erased:') ? null : emailKey,
  reason: why,
  source: source ?? null,
  tenantId,
  createdAt: createdAt.toISOString(),
});

function addressViolations(address: string): Violation[] {
  const normalised = normaliseEmail(address);
  return isViolation(normalised) ? [{ path: '/email', ...normalised }] : [];
}

/** The key by which an address is compared. Throws `validation_failed`. */
function keyOf(address: string): string {
  const normalised = normaliseEmail(address);
  assertValid(addressViolations(address));
  return (normalised as Exclude<typeof normalised, { code: string }>).emailKey;
}

export const suppressionRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/emails/suppressions',
    operationId: 'listSuppressions',
    summary: 'List suppressed addresses',
    description: 'Addresses that get no marketing email, or none at all, with the reason. They outlive contacts.',
    access: 'emails:read',
    query: Query,
    responses: { 200: { schema: listOf(Answer) } },
    handler: async ({ em, principal, query }) => {
      const emailKey = query.email === undefined ? undefined : keyOf(query.email);
      const asked = { ...query, emailKey };
      return { body: await listSuppressions(em, principal.tenantId, asked, (found) => found.map(present)) };
    },
  }),
  route({
    method: 'POST',
    path: '/emails/suppressions',
    operationId: 'createSuppression',
    summary: 'Suppress an address',
    access: 'emails:write',
    description:
      'Suppresses one address: patterns and domains are refused. The default reason is `manual`. The contact that has the address gets the matching status (`manual`: unsubscribed). If the address is already suppressed, the response is 200 and the reason stays unless the new one is stricter.',
    body: Create,
    responses: { 200: { schema: Answer, description: 'The address was already suppressed' }, 201: { schema: Answer } },
    check: ({ body: { email: address } }) => (address === undefined ? [] : addressViolations(address)),
    handler: async ({ em, caller, body }) => {
      const { suppression, made } = await addSuppression(em, caller, keyOf(body.email), body.reason ?? 'manual');
      return made
        ? created(`/emails/suppressions/${suppression.id}`, present(suppression))
        : { body: present(suppression) };
    },
  }),
  route({
    method: 'GET',
    path: '/emails/suppressions/{id}',
    operationId: 'getSuppression',
    summary: 'Get a suppression',
    description: 'It holds for the address, whether or not a contact has it.',
    access: 'emails:read',
    params: IdParams,
    responses: { 200: { schema: Answer } },
    handler: async ({ em, params }) => {
      const suppression = await em.findOne(Suppression, { id: params.id });
      if (!suppression) throw notFound('suppression', params.id);
      return { body: present(suppression) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/emails/suppressions/{id}',
    operationId: 'deleteSuppression',
    summary: 'Delete a suppression: allow email to the address again',
    access: 'emails:write',
    description:
      'The contact of the address becomes active unless it is archived or pending. Recorded in the audit log.',
    params: IdParams,
    responses: { 204: { description: 'Removed' } },
    handler: async ({ em, caller, params }) => {
      await removeSuppression(em, caller, params.id);
      return noContent;
    },
  }),
];
