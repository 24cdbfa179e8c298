import {
  createSite,
  deleteSite,
  listSites,
  readSite,
  siteViolations,
  updateSite,
  type SiteInput,
} from '../../domain/channels/devices/sites.ts';
import { PushSite } from '../../db/entities/channels.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { presentSite } from './presenter.ts';
import * as schema from './push-schema.ts';
import {
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';

export const pushSiteRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/channels/push/sites',
    operationId: 'listPushSites',
    summary: 'List the websites whose visitors can subscribe to pushes',
    description: 'Each has a key pair of its own; the private key is never returned.',
    access: 'channels:read',
    query: schema.PushSiteQuery,
    responses: { 200: { schema: listOf(schema.PushSite) } },
    handler: async ({ em, query }) => ({ body: await listSites(em, query, (found) => found.map(presentSite)) }),
  }),
  route({
    method: 'POST',
    path: '/channels/push/sites',
    operationId: 'createPushSite',
    summary: 'Create a website whose visitors can subscribe to pushes',
    description:
      'Its key pair (VAPID, RFC 8292) is made here; the private key is never answered. Pages load `/channels/push/sites/{siteKey}/script.js`.',
    access: 'channels:write',
    body: schema.PushSiteCreate,
    responses: { 201: { schema: schema.PushSite } },
    check: ({ body }) => siteViolations(body as Partial<SiteInput>),
    handler: async ({ em, deps, caller, body }) => {
      const site = await createSite(em, deps.env, caller, body);
      return created(`/channels/push/sites/${site.id}`, presentSite(site));
    },
  }),
  route({
    method: 'GET',
    path: '/channels/push/sites/{id}',
    operationId: 'getPushSite',
    summary: 'Get a website whose visitors can subscribe to pushes',
    description: '`siteKey` names the site in its pages; `publicKey` is what browsers subscribe with.',
    access: 'channels:read',
    params: IdParams,
    responses: { 200: { schema: schema.PushSite } },
    handler: async ({ em, params }) => ({ body: presentSite(await readSite(em, params.id)) }),
  }),
  route({
    method: 'PUT',
    path: '/channels/push/sites/{id}',
    operationId: 'updatePushSite',
    summary: 'Change a website whose visitors can subscribe to pushes',
    description: 'Browsers that are subscribed stay so. An origin that is taken out can subscribe nobody from now on.',
    access: 'channels:write',
    params: IdParams,
    body: schema.PushSiteUpdate,
    responses: { 200: { schema: schema.PushSite } },
    check: async ({ tx, params, body, readOnly }) => {
      const site = await tx.findOne(PushSite, { id: params.id ?? 0 });
      return [...(site ? changedReadOnly(readOnly, presentSite(site)) : []), ...siteViolations(body)];
    },
    handler: async ({ em, caller, params, body, readOnly, ifMatch }) => {
      const site = await updateSite(em, caller, params.id, body, (current) => {
        assertIfMatch(ifMatch, current.version);
        assertUnchanged(readOnly, presentSite(current));
      });
      return { body: presentSite(site) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/channels/push/sites/{id}',
    operationId: 'deletePushSite',
    summary: 'Delete a website whose visitors can subscribe to pushes',
    description:
      'Its keys are deleted too, so that nothing reaches its browsers again: their subscriptions are `gone`.',
    access: 'channels:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteSite(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
];
