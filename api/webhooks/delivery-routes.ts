import { listDeliveries, readDelivery } from '../../domain/webhooks/deliveries/list-deliveries.ts';
import { readProof } from '../../domain/webhooks/deliveries/proof.ts';
import { pullEvents } from '../../domain/webhooks/deliveries/pull-events.ts';
import { retryDelivery } from '../../domain/webhooks/deliveries/repeat-deliveries.ts';
import { readReplay, replayViolations, requestReplay } from '../../domain/webhooks/deliveries/replay.ts';
import { accepted, route, type RouteSpec } from '../route/route.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { presentDelivery, presentProof, presentReplay } from './presenter.ts';
import * as schema from './schema.ts';

/** What was told to an endpoint, what became of it, and how to get it again. */
export const deliveryRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/webhooks/{id}/deliveries',
    operationId: 'listWebhookDeliveries',
    summary: 'List the deliveries of a webhook',
    description: 'Those of the last 30 days. `from` is inclusive, `to` is not.',
    access: 'webhooks:read',
    params: IdParams,
    query: schema.DeliveryQuery,
    responses: { 200: { schema: listOf(schema.Delivery) } },
    errors: ['unavailable'],
    handler: async ({ em, params, query }) => {
      const { data, page } = await listDeliveries(em, params.id, query);
      return { body: { data: data.map(presentDelivery), page } };
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/{id}/deliveries/{deliveryId}',
    operationId: 'getWebhookDelivery',
    summary: 'Get a delivery of a webhook',
    description: 'With its body and every attempt: what was answered, and when.',
    access: 'webhooks:read',
    params: schema.DeliveryParams,
    responses: { 200: { schema: schema.Delivery } },
    handler: async ({ em, params }) => ({
      body: presentDelivery(await readDelivery(em, params.id, params.deliveryId)),
    }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/{id}/deliveries/{deliveryId}/retry',
    operationId: 'retryWebhookDelivery',
    summary: 'Send a delivery again, or now',
    description:
      'Under the same `webhook-id`, with as many attempts as a new one. With `ordering: contact`, earlier ones that wait and concern the same are sent before it. 409 `conflict` if its data was erased.',
    access: 'webhooks:write',
    params: schema.DeliveryParams,
    responses: { 202: { schema: schema.Delivery } },
    errors: ['conflict'],
    handler: async ({ em, caller, params: { id, deliveryId } }) => {
      const delivery = await retryDelivery(em, caller, id, deliveryId);
      return accepted(`/webhooks/${id}/deliveries/${deliveryId}`, presentDelivery(delivery));
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/{id}/events',
    operationId: 'pullWebhookEvents',
    summary: 'Get what was told to a webhook, by number',
    description:
      'The bodies of its deliveries in the order of their numbers, whatever became of them, for 30 days: for a receiver that has missed some, or that cannot be called. `data` is null if it was about a person who was erased. Changes nothing.',
    access: 'webhooks:read',
    params: IdParams,
    query: schema.PullQuery,
    responses: { 200: { schema: schema.Pulled } },
    handler: async ({ em, params, query }) => ({ body: await pullEvents(em, params.id, query) }),
  }),
  route({
    method: 'GET',
    path: '/webhooks/{id}/proof',
    operationId: 'getWebhookProof',
    summary: 'Get the proof that nothing was missed',
    description:
      'What became of everything that matched in a period, by default the last 30 days. `from` is inclusive, `to` is not.',
    access: 'webhooks:read',
    params: IdParams,
    query: schema.ProofQuery,
    responses: { 200: { schema: schema.Proof } },
    errors: ['unavailable'],
    handler: async ({ em, params, query }) => ({ body: presentProof(await readProof(em, params.id, query)) }),
  }),
  route({
    method: 'POST',
    path: '/webhooks/{id}/replay',
    operationId: 'replayWebhook',
    summary: 'Send the deliveries of a period again',
    description:
      'Those that matched from `from` on and before `to` (default: now), under their `webhook-id`s, with as many attempts as new ones. `only`: `failed`; `held`, which are sent when the webhook is active again; or `all` that have ended. One replay of a webhook at a time: else 409 `conflict`.',
    access: 'webhooks:write',
    params: IdParams,
    body: schema.ReplayRequest,
    responses: { 202: { schema: schema.Replay } },
    errors: ['conflict', 'limit_reached'],
    check: ({ body }) => replayViolations(body as { from?: string; to?: string }),
    handler: async ({ em, caller, params, body }) => {
      const replay = await requestReplay(em, caller, params.id, body);
      return accepted(`/webhooks/replays/${replay.id}`, presentReplay(replay));
    },
  }),
  route({
    method: 'GET',
    path: '/webhooks/replays/{id}',
    operationId: 'getWebhookReplay',
    summary: 'Get the progress of a replay',
    description: 'The figures grow until it is completed.',
    access: 'webhooks:read',
    params: IdParams,
    responses: { 200: { schema: schema.Replay } },
    handler: async ({ em, params }) => ({ body: presentReplay(await readReplay(em, params.id)) }),
  }),
];
