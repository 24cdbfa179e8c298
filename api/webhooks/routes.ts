import { WebhookEndpoint } from '../../db/entities/webhooks.ts';
import { eventContracts, eventTypes } from '../../events/contracts.ts';
import { exampleData } from '../../transport/examples.ts';
import { webhookSecret } from '../../domain/outbound/sign-webhook.ts';
import { endpointViolations } from '../../domain/webhooks/endpoints/endpoint-violations.ts';
import { listEndpoints, readEndpoint } from '../../domain/webhooks/endpoints/endpoints.ts';
import { rotateKey } from '../../domain/webhooks/endpoints/rotate-key.ts';
import {
  createEndpoint,
  deleteEndpoint,
  updateEndpoint,
  updateViolations,
  type EndpointInput,
} from '../../domain/webhooks/endpoints/save-endpoint.ts';
import type { Deps } from '../../runtime/deps.ts';
import {
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  route,
  type RouteSpec,
} from '../route/route.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { deliveryRoutes } from './delivery-routes.ts';
import { presentWebhook } from './presenter.ts';
import * as schema from './schema.ts';
import { testRoute } from './test-route.ts';

const servicesOf = ({ env, outbound: { checkUrl } }: Deps) => ({ env, checkUrl });

const descriptions = eventTypes.map((type) => {
  const { description = '', ...rest } = eventContracts[type] as { description?: string };
  return { type, description, schema: rest, example: exampleData(type) };
});

export const webhookRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description: 'With their state and when each last succeeded; secrets are never in it.',
    access: 'webhooks:read',
    query: schema.WebhookQuery,
    responses: { 200: { schema: listOf(schema.Webhook) } },
    handler: async ({ em, query }) => ({ body: await listEndpoints(em, query, presentWebhook) }),
  }),
  route({
    method: 'POST',
    path: '/webhooks',
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'From now on, each event that matches is sent to `url` by a POST as Standard Webhooks 1.0 says (standardwebhooks.com), at least once: with the CloudEvents id as `webhook-id` at every attempt, `webhook-timestamp`, and in `webhook-signature` `v1,` with the HMAC-SHA256 of `{id}.{timestamp}.{body}` in base64. How to verify it is in docs/webhooks.md. What matches is numbered, `sequence` 1, 2, 3 and so on without gaps: a receiver knows what it has not seen, and can get it by `GET /webhooks/{id}/events`. 2xx is success; any other answer, a redirect too, is a failure, after which it is tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h (each ± 10 %), or later if `Retry-After` asks for it, up to 24 h. An account may have 10,000 webhooks.',
    access: 'webhooks:write',
    body: schema.WebhookCreate,
    responses: { 201: { schema: schema.WebhookCreated } },
    errors: ['limit_reached'],
    check: ({ deps, body, given }) =>
      endpointViolations({ ...(body as Partial<EndpointInput>), filter: given.filter }, deps.outbound.checkUrl),
    handler: async ({ deps, em, caller, body }) => {
      const { secret, ...view } = await createEndpoint(em, servicesOf(deps), caller, body as EndpointInput);
      const answer = created(`/webhooks/${view.endpoint.id}`, { ...presentWebhook(view), secret });
      return { ...answer, headers: { ...answer.headers, 'Cache-Control': 'no-store' } };
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/event-types',
    operationId: 'listWebhookEventTypes',
    summary: 'List the events that webhooks can tell',
    description: 'Each with an example of what is sent. `POST /webhooks/{id}/test` sends it.',
    access: 'webhooks:read',
    responses: { 200: { schema: listOf(schema.EventTypeInfo) } },
    handler: async () => ({
      body: { data: descriptions, page: { limit: descriptions.length, nextCursor: null, hasMore: false } },
    }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/default',
    operationId: 'getDefaultWebhookKey',
    summary: 'Get the key that signs the webhooks of WEBHOOK steps and thresholds',
    description:
      'For a library of Standard Webhooks. It is the same for all campaigns and thresholds, and changes only with the LINK_SECRET of the service; while that is rotated, calls are signed with both. Each visit of a step, and each firing of a threshold, has one `webhook-id`.',
    access: 'webhooks:write',
    responses: { 200: { schema: schema.DefaultKey } },
    handler: async ({ deps, principal }) => ({
      body: { signature: 'v1', secret: webhookSecret(deps.env, principal.tenantId) },
      headers: { 'Cache-Control': 'no-store' },
    }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/{id}',
    operationId: 'getWebhook',
    summary: 'Get a webhook',
    description: 'Its secret was in the answer to its creation; `rotate-secret` makes another.',
    access: 'webhooks:read',
    params: IdParams,
    responses: { 200: { schema: schema.Webhook } },
    // `lastSuccessAt` changes without a new version.
    handler: async ({ em, params }) => ({ body: presentWebhook(await readEndpoint(em, params.id)), derived: true }),
  }),
  route({
    method: 'PUT',
    path: '/webhooks/{id}',
    operationId: 'updateWebhook',
    summary: 'Change a webhook',
    description:
      'Counts for what is sent from now on. `active: true` sends what was held, oldest first. `headers` are replaced; `true` keeps the value of one that is there, unless `url` goes to another origin. `lastSuccessAt` and `secret` are accepted with any value, and ignored.',
    access: 'webhooks:write',
    params: IdParams,
    body: schema.WebhookUpdate,
    responses: { 200: { schema: schema.Webhook } },
    check: async ({ deps, tx, params, body, given, readOnly }) => {
      const endpoint = await tx.findOne(WebhookEndpoint, { id: params.id ?? 0 });
      if (!endpoint) return [];
      const input = body as Partial<EndpointInput>;
      return [
        ...changedReadOnly(schema.checkedOnly(readOnly), presentWebhook({ endpoint, lastSuccessAt: null })),
        ...updateViolations(
          endpoint,
          { ...input, ...(given.filter === undefined ? {} : { filter: given.filter }) },
          deps.outbound.checkUrl,
        ),
      ];
    },
    handler: async ({ deps, em, caller, params, body, readOnly, ifMatch }) => ({
      body: presentWebhook(
        await updateEndpoint(em, servicesOf(deps), caller, params.id, body as Partial<EndpointInput>, (current) => {
          assertIfMatch(ifMatch, current.endpoint.version);
          assertUnchanged(schema.checkedOnly(readOnly), presentWebhook(current));
        }),
      ),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/webhooks/{id}',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook with its deliveries',
    description: 'What is on its way may still arrive.',
    access: 'webhooks:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteEndpoint(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
  testRoute,
  route({
    method: 'POST',
    path: '/webhooks/{id}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Make another secret, or another key, for a webhook',
    description:
      'The one before signs too for `overlapHours`: each attempt has a signature by either. 409 `conflict` until that is over.',
    access: 'webhooks:write',
    params: IdParams,
    body: schema.RotateRequest,
    bodyOptional: true,
    responses: { 200: { schema: schema.Rotated } },
    errors: ['conflict'],
    handler: async ({ deps, em, caller, params, body }) => {
      const { secret, publicKey, previousExpiresAt } = await rotateKey(
        em,
        deps.env,
        caller,
        params.id,
        body?.overlapHours ?? 24,
      );
      return {
        body: {
          ...(secret === null ? { publicKey } : { secret }),
          previousExpiresAt: previousExpiresAt.toISOString(),
        },
        headers: { 'Cache-Control': 'no-store' },
      };
    },
  }),
  ...deliveryRoutes,
];
