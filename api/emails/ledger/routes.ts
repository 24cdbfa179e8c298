import { Email } from '../../../db/entities/emails.ts';
import { explainContactEmails } from '../../../domain/emails/history/explain-contact-emails.ts';
import { explainEmail } from '../../../domain/emails/history/explain-email.ts';
import { listEmails } from '../../../domain/emails/ledger/list-emails.ts';
import { resolveEmail } from '../../../domain/emails/ledger/resolve-email.ts';
import { sendEmail, sendViolations } from '../../../domain/emails/ledger/send-email.ts';
import { notFound } from '../../../domain/common/errors.ts';
import { IdParams, listOf } from '../../route/schemas.ts';
import { presentEmail } from './presenter.ts';
import * as schema from './schema.ts';
import { accepted, callKeyOf, route, type RouteSpec } from '../../route/route.ts';

export const ledgerRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/emails/send',
    operationId: 'sendEmail',
    summary: 'Send one email to a contact or an address',
    access: 'emails:send',
    description:
      'An email refused by a gate (for example, the contact is unsubscribed or suppressed) is SUPPRESSED immediately. Repeating the request with the same Idempotency-Key sends no second email.',
    body: schema.Send,
    responses: { 202: { schema: schema.Queued } },
    errors: ['not_found'],
    check: ({ body, given }) => sendViolations(given, body.to),
    handler: async ({ ctx, em, principal, requestId, body }) => {
      const { emailId, status } = await sendEmail(
        em,
        { tenantId: principal.tenantId, requestId },
        body,
        callKeyOf(ctx, principal),
      );
      return accepted(`/emails/${emailId}`, { emailId, status });
    },
  }),
  route({
    method: 'GET',
    path: '/emails',
    operationId: 'listEmails',
    summary: 'List emails',
    access: 'emails:read',
    query: schema.EmailQuery,
    responses: { 200: { schema: listOf(schema.Email) } },
    handler: async ({ em, query }) => ({ body: await listEmails(em, query, (found) => found.map(presentEmail)) }),
  }),
  route({
    method: 'GET',
    path: '/emails/{id}',
    operationId: 'getEmail',
    summary: 'Get an email',
    access: 'emails:read',
    params: IdParams,
    responses: { 200: { schema: schema.Email } },
    errors: ['not_found'],
    handler: async ({ em, params }) => {
      const email = await em.findOne(Email, { id: params.id });
      if (!email) throw notFound('email', params.id);
      return { body: presentEmail(email) };
    },
  }),
  route({
    method: 'GET',
    path: '/emails/{id}/explain',
    operationId: 'explainEmail',
    summary: 'Explain why an email was, or was not, sent',
    access: 'emails:read',
    params: IdParams,
    responses: { 200: { schema: schema.Explanation } },
    errors: ['not_found'],
    handler: async ({ em, deps, params }) => ({ body: await explainEmail(em, params.id, deps.env.MAIL_FROM) }),
  }),
  route({
    method: 'GET',
    path: '/contacts/{id}/emails/explain',
    operationId: 'explainContactEmails',
    summary: 'Explain why a contact did, or did not, get the emails of a campaign',
    access: 'contacts:read',
    params: IdParams,
    query: schema.ContactExplanationQuery,
    responses: { 200: { schema: schema.ContactExplanation } },
    errors: ['not_found'],
    handler: async ({ em, deps, params, query }) => ({
      body: await explainContactEmails(em, params.id, query.campaignId ?? null, deps.env.MAIL_FROM),
    }),
  }),
  route({
    method: 'POST',
    path: '/emails/{id}/resolve',
    operationId: 'resolveEmail',
    summary: 'Settle the outcome of an UNKNOWN email',
    access: 'emails:write',
    params: IdParams,
    body: schema.Resolve,
    responses: { 200: { schema: schema.Email } },
    errors: ['not_found', 'conflict'],
    handler: async ({ em, params, body }) => ({ body: presentEmail(await resolveEmail(em, params.id, body.outcome)) }),
  }),
];
