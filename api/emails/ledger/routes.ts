import { Email } from '../../../db/entities/emails.ts';
import { explainContactEmails } from '../../../domain/emails/history/explain-contact-emails.ts';
import { explainEmail } from '../../../domain/emails/history/explain-email.ts';
import { listEmails } from '../../../domain/emails/ledger/list-emails.ts';
import { resolveEmail } from '../../../domain/emails/ledger/resolve-email.ts';
import { sendEmail, sendViolations } from '../../../domain/emails/ledger/send-email.ts';
import { notFound } from '../../../lib/checks/errors.ts';
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
    description:
      'Every intended email has a row, sent or not; `GET /emails/{id}/explain` says why. `externalId` finds the email of a send request from NATS.',
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
    description:
      '`reason` says why it is SUPPRESSED or FAILED. UNKNOWN: nobody knows whether the provider took it; it is never sent again by itself.',
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
    description:
      'The gates in their order, each with whether it passed and why, and every attempt with the reply of the provider. Gates of an email that is not sent yet are evaluated now; of others, the stored result counts.',
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
    description:
      'Also emails that were never intended for the contact, with the reason. Without `campaignId`, of all campaigns.',
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
    description:
      "UNKNOWN means that the connection or process ended before the provider's reply. Say what is known from elsewhere: it was `sent`, or it `failed`, or it was not sent and shall be sent again (`resend`). 409 `conflict` if it is not UNKNOWN.",
    access: 'emails:write',
    params: IdParams,
    body: schema.Resolve,
    responses: { 200: { schema: schema.Email } },
    errors: ['not_found', 'conflict'],
    handler: async ({ em, params, body }) => ({ body: presentEmail(await resolveEmail(em, params.id, body.outcome)) }),
  }),
];
