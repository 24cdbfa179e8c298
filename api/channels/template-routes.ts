import { readSettings } from '../../domain/channels/settings/settings.ts';
import { previewTemplate } from '../../domain/channels/templates/preview-template.ts';
import {
  createTemplate,
  deleteTemplate,
  listTemplates,
  readTemplate,
  updateTemplate,
} from '../../domain/channels/templates/templates.ts';
import { templateViolations } from '../../domain/channels/templates/template-violations.ts';
import { ChannelTemplate } from '../../db/entities/channels.ts';
import { shortBase } from '../../config/short-base.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { Additions } from '../../domain/channels/content/assert-fits.ts';
import type { Deps } from '../../runtime/deps.ts';
import { additionsOf } from './additions.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { presentTemplate } from './presenter.ts';
import * as schema from './template-schema.ts';
import {
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';

const additionsTo = async (em: EntityManager, deps: Deps, tenantId: string): Promise<Additions> => ({
  ...additionsOf(deps, tenantId),
  optOutText: (await readSettings(em, tenantId)).optOutText,
});

export const channelTemplateRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/channels/templates',
    operationId: 'listChannelTemplates',
    summary: 'List templates of text messages and pushes',
    description: 'Of both kinds; `channel` tells which. Templates of email are at `GET /emails/templates`.',
    access: 'channels:read',
    query: schema.ChannelTemplateQuery,
    responses: { 200: { schema: listOf(schema.ChannelTemplate) } },
    handler: async ({ em, query }) => ({ body: await listTemplates(em, query, (found) => found.map(presentTemplate)) }),
  }),
  route({
    method: 'POST',
    path: '/channels/templates',
    operationId: 'createChannelTemplate',
    summary: 'Create a template of text messages or pushes',
    description:
      'All texts are Liquid with the fields of the contact, as in email templates. A text message may have ten segments: 1,530 characters of GSM-7, or 670 of UCS-2, with the `optOutText` of the settings if it is marketing. A push may have 3,993 bytes as JSON.',
    access: 'channels:write',
    body: schema.ChannelTemplateCreate,
    responses: { 201: { schema: schema.ChannelTemplate } },
    errors: ['template_limit', 'unavailable'],
    check: async ({ tx, deps, caller: { tenantId }, body }) =>
      templateViolations(tx, tenantId, await additionsTo(tx, deps, tenantId), body),
    handler: async ({ em, deps, caller, body }) => {
      const template = await createTemplate(em, caller, await additionsTo(em, deps, caller.tenantId), body);
      return created(`/channels/templates/${template.id}`, presentTemplate(template));
    },
  }),
  route({
    method: 'GET',
    path: '/channels/templates/{id}',
    operationId: 'getChannelTemplate',
    summary: 'Get a template of text messages or pushes',
    description: 'As it was saved, with its Liquid.',
    access: 'channels:read',
    params: IdParams,
    responses: { 200: { schema: schema.ChannelTemplate } },
    errors: ['not_found'],
    handler: async ({ em, params }) => ({ body: presentTemplate(await readTemplate(em, params.id)) }),
  }),
  route({
    method: 'PUT',
    path: '/channels/templates/{id}',
    operationId: 'updateChannelTemplate',
    summary: 'Change a template of text messages or pushes',
    description:
      'Messages that are not sent yet get the new content, also in campaigns that are running. Checked like a new template.',
    access: 'channels:write',
    params: IdParams,
    body: schema.ChannelTemplateUpdate,
    responses: { 200: { schema: schema.ChannelTemplate } },
    errors: ['not_found', 'precondition_failed', 'template_limit', 'unavailable'],
    check: async ({ tx, deps, caller: { tenantId }, params, body, readOnly }) => {
      const current = await tx.findOne(ChannelTemplate, { id: params.id ?? 0 });
      if (!current) return [];
      return [
        ...changedReadOnly(readOnly, presentTemplate(current)),
        ...(await templateViolations(tx, tenantId, await additionsTo(tx, deps, tenantId), body, current)),
      ];
    },
    handler: async ({ em, deps, caller, params, body, readOnly, ifMatch }) => {
      const additions = await additionsTo(em, deps, caller.tenantId);
      const template = await updateTemplate(em, caller, additions, params.id, body, (current) => {
        assertIfMatch(ifMatch, current.version);
        assertUnchanged(readOnly, presentTemplate(current));
      });
      return { body: presentTemplate(template) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/channels/templates/{id}',
    operationId: 'deleteChannelTemplate',
    summary: 'Delete a template of text messages or pushes',
    description: '409 `in_use`, naming them, while campaigns or messages that are not sent yet need it.',
    access: 'channels:write',
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
    path: '/channels/templates/{id}/preview',
    operationId: 'previewChannelTemplate',
    summary: 'Preview a template as a contact would get it, with its segments',
    description:
      'What renders as nothing, or has a URL that no browser can open, could not be sent: 400 with the reason.',
    access: 'channels:read',
    params: IdParams,
    body: schema.ChannelPreview,
    bodyOptional: true,
    responses: { 200: { schema: schema.ChannelPreviewed } },
    errors: ['not_found', 'template_limit', 'unavailable'],
    handler: async ({ em, deps, principal, params, body: { contactId = null } }) => {
      const { optOutText } = await readSettings(em, principal.tenantId);
      const urls = { publicUrl: deps.env.PUBLIC_URL, linkSecret: deps.env.LINK_SECRET };
      const settings = { base: shortBase(deps.env), optOutText, links: deps.links, urls };
      return { body: await previewTemplate(em, settings, params.id, contactId) };
    },
  }),
];
