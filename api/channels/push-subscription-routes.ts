import { PushSubscription } from '../../db/entities/channels.ts';
import { engineEm, tenantEm } from '../../db/orm.ts';
import { originsOfPush } from '../../domain/tracking/push-reports.ts';
import { readPushToken } from '../../domain/channels/push/push-token.ts';
import { deleteDevice, linkDevice, listDevices, readDevice } from '../../domain/channels/devices/subscriptions.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { assertUnchanged, changedReadOnly, noContent, route, type RouteSpec } from '../route/route.ts';
import { presentSubscription } from './presenter.ts';
import { assertEndToken, recordReport, subscribe, subscribeViolations } from './push-subscriptions.ts';
import * as schema from './push-schema.ts';
import { admitOrigin } from './site-origins.ts';

export const pushSubscriptionRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/channels/push/subscriptions',
    operationId: 'listPushSubscriptions',
    summary: 'List the devices that receive pushes',
    description:
      'Browsers and apps, those that are gone too. Endpoints are shortened, because whoever knows one can send to it.',
    access: 'channels:read',
    query: schema.PushSubscriptionQuery,
    responses: { 200: { schema: listOf(schema.PushSubscription) } },
    handler: async ({ em, query }) => ({
      body: await listDevices(em, query, (found) => found.map(presentSubscription)),
    }),
  }),
  route({
    method: 'POST',
    path: '/channels/push/subscriptions',
    operationId: 'createPushSubscription',
    summary: 'Subscribe a browser or an app to pushes',
    description:
      'For pages of a site: `siteKey` and `subscription`, as `PushSubscription.toJSON()` gives it; a `contactToken` says whose browser it is, and whoever has the browser last gets its pushes. With a token of the API, `contactId` may say that instead, and an app subscribes with `{contactId, type: fcm, token, platform}`. A subscription that is known is brought up to date (200). Unknown fields are ignored.',
    access: 'public',
    accessWithToken: 'channels:write',
    openQuery: true,
    body: schema.PushSubscribe,
    bodyTypes: ['json', 'text'],
    bodyLimit: 16 * 1024,
    responses: { 201: { schema: schema.Subscribed }, 200: { schema: schema.Subscribed, description: 'Known before' } },
    errors: ['unauthorized', 'forbidden', 'origin_not_allowed', 'not_found', 'conflict'],
    check: ({ deps, body, caller }) => subscribeViolations(deps, body, caller.tenantId),
    handler: ({ ctx, deps, requestId, principal, caller, body }) =>
      subscribe(ctx, deps, { body, requestId, caller: (principal as typeof principal | undefined) && caller }),
  }),
  route({
    method: 'GET',
    path: '/channels/push/subscriptions/{id}',
    operationId: 'getPushSubscription',
    summary: 'Get a device that receives pushes',
    description: 'Its endpoint is shortened, because whoever knows it can send to it.',
    access: 'channels:read',
    params: IdParams,
    responses: { 200: { schema: schema.PushSubscription } },
    handler: async ({ em, params }) => ({ body: presentSubscription(await readDevice(em, params.id)) }),
  }),
  route({
    method: 'PUT',
    path: '/channels/push/subscriptions/{id}',
    operationId: 'linkPushSubscription',
    summary: 'Say whose device it is',
    description:
      "`contactId: null` makes it nobody's: it stays and gets no pushes for contacts. Writes CHANNEL_SUBSCRIBED and CHANNEL_UNSUBSCRIBED where a contact gets its first device or loses its last. 409 `conflict` while the contact is being erased.",
    access: 'channels:write',
    params: IdParams,
    body: schema.PushSubscriptionLink,
    responses: { 200: { schema: schema.PushSubscription } },
    errors: ['conflict'],
    check: async ({ tx, params, readOnly }) => {
      const device = await tx.findOne(PushSubscription, { id: params.id ?? 0 });
      return device ? changedReadOnly(readOnly, presentSubscription(device)) : [];
    },
    handler: async ({ em, caller, params: { id }, body: { contactId }, readOnly }) => {
      const check = (current: PushSubscription): void => assertUnchanged(readOnly, presentSubscription(current));
      if (contactId !== undefined)
        return { body: presentSubscription(await linkDevice(em, caller, id, contactId, check)) };
      const device = await readDevice(em, id);
      check(device);
      return { body: presentSubscription(device) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/channels/push/subscriptions/{id}',
    operationId: 'deletePushSubscription',
    whileHeld: true,
    summary: 'End a subscription to pushes',
    description: "With a token of the API, or with the subscription's own `token`.",
    access: 'public',
    accessWithToken: 'channels:write',
    openQuery: true,
    params: IdParams,
    query: schema.PushSubscriptionEnd,
    responses: { 204: { description: 'Ended' } },
    errors: ['unauthorized', 'forbidden', 'token_invalid', 'origin_not_allowed', 'not_found'],
    handler: async ({ ctx, deps, principal, caller, requestId, params: { id }, query }) => {
      const tenantId =
        (principal as typeof principal | undefined)?.tenantId ?? (await assertEndToken(ctx, deps, id, query.token));
      await deleteDevice(tenantEm(deps.orm, tenantId), { tenantId, requestId }, id, principal && caller);
      return noContent;
    },
  }),
  route({
    method: 'POST',
    path: '/channels/push/events',
    operationId: 'reportPushEvent',
    whileHeld: true,
    summary: 'Report what a device did with a push',
    description:
      'The worker of a site calls it, and apps do: `shown` makes the push DELIVERED, `clicked` is a click on its URL. A repeated report changes nothing. Unknown fields are ignored.',
    access: 'public',
    openQuery: true,
    body: schema.PushEvent,
    bodyTypes: ['json', 'text'],
    bodyLimit: 16 * 1024,
    responses: { 204: { description: 'Recorded' } },
    errors: ['token_invalid', 'origin_not_allowed', 'unavailable'],
    handler: async ({ ctx, deps, body: { token, type } }) => {
      const push = readPushToken(deps.links, token);
      if (!push) throw new AppError('token_invalid', 'The token is not that of a push of this service');
      const origins = ctx.get('origin') === '' ? null : await originsOfPush(engineEm(deps.orm), push);
      if (origins) admitOrigin(ctx, origins);
      await recordReport(deps, { ...push, type, ip: ctx.ip, userAgent: ctx.get('user-agent') || null });
      return noContent;
    },
  }),
];
