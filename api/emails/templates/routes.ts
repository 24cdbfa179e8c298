import { EmailTemplate } from '../../../db/entities/email-templates.ts';
import { previewTemplate } from '../../../domain/emails/history/render-stored.ts';
import { addressViolations, sendTest } from '../../../domain/emails/ledger/send-email.ts';
import { listTemplates } from '../../../domain/emails/templates/list-templates.ts';
import { listTemplateVariables } from '../../../domain/emails/templates/template-variables.ts';
import { templateWarnings } from '../../../domain/emails/templates/template-work.ts';
import {
  createTemplate,
  deleteTemplate,
  templateViolations,
  updateTemplate,
} from '../../../domain/emails/templates/templates.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { IdParams, listOf } from '../../route/schemas.ts';
import { presentTemplate } from './presenter.ts';
import { Queued } from '../ledger/schema.ts';
import * as schema from './schema.ts';
import {
  accepted,
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../../route/route.ts';

/** Any value is accepted, so that the answer to a change can be put back. */
const withoutWarnings = ({ warnings: _warnings, ...fixed }: Record<string, unknown>) => fixed;

export const templateRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/emails/templates',
    operationId: 'listTemplates',
    summary: 'List email templates',
    description: 'Templates of email; those of text messages and pushes are at `GET /channels/templates`.',
    access: 'emails:read',
    query: schema.TemplateQuery,
    responses: { 200: { schema: listOf(schema.Template) } },
    handler: async ({ em, query }) => ({ body: await listTemplates(em, query, (found) => found.map(presentTemplate)) }),
  }),
  route({
    method: 'POST',
    path: '/emails/templates',
    operationId: 'createTemplate',
    summary: 'Create an email template',
    access: 'emails:write',
    description:
      'Content that begins with `<mjml>` (after comments, a doctype, an XML declaration and Liquid that prints nothing) is compiled as MJML when it is saved; MJML anywhere else is rejected. Syntax errors, unknown tags or filters, and MJML errors are rejected with their line. `fromEmail` must be the default sender or a verified sender address.',
    body: schema.TemplateCreate,
    responses: { 201: { schema: schema.SavedTemplate } },
    errors: ['template_limit', 'unavailable'],
    check: ({ tx, deps, caller, body }) => templateViolations(tx, caller.tenantId, body, deps.env.MAIL_FROM),
    handler: async ({ em, deps, principal, body }) => {
      const template = await createTemplate(em, principal.tenantId, body, deps.env.MAIL_FROM);
      const warnings = await templateWarnings(em, principal.tenantId, template);
      return created(`/emails/templates/${template.id}`, { ...presentTemplate(template), warnings });
    },
  }),
  route({
    method: 'GET',
    path: '/emails/templates/variables',
    operationId: 'listTemplateVariables',
    summary: 'List what templates can print',
    description:
      'Every variable of Liquid in templates of emails, and of text messages and pushes but for the links of emails: fields of the contact and its company, the custom fields of the account, `data`, and links. Fields of the contact are also under `contact.`.',
    access: 'emails:read',
    responses: { 200: { schema: schema.Variables } },
    handler: async ({ em }) => ({ body: { data: await em.transactional((tx) => listTemplateVariables(tx)) } }),
  }),
  route({
    method: 'GET',
    path: '/emails/templates/{id}',
    operationId: 'getTemplate',
    summary: 'Get an email template',
    description: 'As it was saved. `contentVersion` names what an email was rendered from.',
    access: 'emails:read',
    params: IdParams,
    responses: { 200: { schema: schema.SavedTemplate } },
    errors: ['not_found'],
    handler: async ({ em, principal, params }) => {
      const template = await em.findOne(EmailTemplate, { id: params.id, systemKey: null });
      if (!template) throw notFound('template', params.id);
      const warnings = await templateWarnings(em, principal.tenantId, template);
      return { body: { ...presentTemplate(template), warnings } };
    },
  }),
  route({
    method: 'PUT',
    path: '/emails/templates/{id}',
    operationId: 'updateTemplate',
    summary: 'Change an email template',
    description:
      'Emails that are not rendered yet get the new content, also in campaigns that are running; those that were sent keep theirs. Syntax errors are rejected with their line, like on creation, and nothing is changed.',
    access: 'emails:write',
    params: IdParams,
    body: schema.TemplateUpdate,
    responses: { 200: { schema: schema.SavedTemplate } },
    errors: ['not_found', 'precondition_failed', 'template_limit', 'unavailable'],
    check: async ({ tx, deps, caller, params, body, given, readOnly }) => {
      const current = await tx.findOne(EmailTemplate, { id: params.id ?? 0, systemKey: null });
      if (!current) return [];
      const fromEmail = given.fromEmail === undefined ? current.fromEmail : body.fromEmail;
      return [
        ...changedReadOnly(withoutWarnings(readOnly), presentTemplate(current)),
        ...(await templateViolations(tx, caller.tenantId, body, deps.env.MAIL_FROM, fromEmail)),
      ];
    },
    handler: async ({ em, deps, principal, params, body, readOnly, ifMatch }) => {
      const { tenantId } = principal;
      const template = await updateTemplate(em, tenantId, params.id, body, deps.env.MAIL_FROM, (current) => {
        assertIfMatch(ifMatch, current.version);
        assertUnchanged(withoutWarnings(readOnly), presentTemplate(current));
      });
      return { body: { ...presentTemplate(template), warnings: await templateWarnings(em, tenantId, template) } };
    },
  }),
  route({
    method: 'DELETE',
    path: '/emails/templates/{id}',
    operationId: 'deleteTemplate',
    summary: 'Delete an email template',
    description:
      '409 `in_use`, naming them, while campaigns or emails that are not sent yet need it. Emails that were sent can still be shown.',
    access: 'emails:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['not_found', 'in_use', 'precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteTemplate(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/emails/templates/{id}/preview',
    operationId: 'previewTemplate',
    summary: 'Preview a template as a contact would get it',
    description:
      'Sends, stores and tracks nothing. Without `contactId`, fields of the contact render empty; `data` is what `{{data.x}}` reads.',
    access: 'emails:read',
    params: IdParams,
    body: schema.Preview,
    bodyOptional: true,
    responses: { 200: { schema: schema.Previewed } },
    errors: ['not_found', 'template_limit', 'unavailable'],
    handler: async ({ em, deps, principal, params, body: { contactId = null, data = null } }) => {
      const { PUBLIC_URL: publicUrl, LINK_SECRET: linkSecret, MAIL_POSTAL_ADDRESS } = deps.env;
      const shown = await previewTemplate(
        em,
        { publicUrl, linkSecret, postalAddress: MAIL_POSTAL_ADDRESS || null },
        { templateId: params.id, contactId, data },
      );
      const template = await em.findOneOrFail(EmailTemplate, { id: params.id });
      return { body: { ...shown, warnings: await templateWarnings(em, principal.tenantId, template) } };
    },
  }),
  route({
    method: 'POST',
    path: '/emails/templates/{id}/test',
    operationId: 'testTemplate',
    summary: 'Send a test email of a template',
    description: 'Sends one email to the address, rendered with `data` and no contact. It is listed at `GET /emails`.',
    access: 'emails:send',
    params: IdParams,
    body: schema.Test,
    responses: { 202: { schema: Queued } },
    errors: ['not_found'],
    check: ({ body }) => addressViolations(body.to),
    handler: async ({ em, principal, requestId, params, body }) => {
      const { emailId, status } = await sendTest(em, { tenantId: principal.tenantId, requestId }, params.id, body);
      return accepted(`/emails/${emailId}`, { emailId, status });
    },
  }),
];
