import { Type } from 'typebox';
import { engineEm } from '../../db/orm.ts';
import { idOf } from '../../domain/channels/callbacks/callback.ts';
import { recordCallback } from '../../domain/channels/callbacks/record-callback.ts';
import { readBytes } from '../middleware/body.ts';
import { jsonMeter } from '../middleware/body-size.ts';
import { MAX_VALUES, noContent, route, type RouteSpec } from '../route/route.ts';

/** A text has a few KB, with all that a provider tells beside it. */
const CALLBACK_BYTES = 64 * 1024;
/** Not an id by its schema: whatever is no provider's is answered as any other call without a proof. */
const Params = Type.Object({ id: Type.String({ description: 'The id of a provider', examples: ['1'] }) });

export const callbackRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/channels/webhooks/{id}',
    operationId: 'receiveChannelCallback',
    whileHeld: true,
    summary: 'Receive statuses and texts from a provider of text messages',
    description:
      'For the provider with this id. `twilio`: its form, proved by `X-Twilio-Signature`; the URL of the status callback comes with each message, that of incoming messages is this one. `http`: JSON `{type: status|inbound, messageId | providerMessageId, status, from, to, text, errorCode}`, proved by Standard Webhooks with the `callbackSecret`; `status` is `sent`, `delivered`, `undelivered` or `failed`; `messageId` is ours, as the request had it. Statuses only move forward, and whatever is repeated changes nothing.',
    access: 'public',
    params: Params,
    openQuery: true,
    bodyLimit: CALLBACK_BYTES,
    responses: { 204: { description: 'Taken, or there was nothing to do' } },
    errors: ['unauthorized', 'malformed_json', 'validation_failed', 'payload_too_large', 'unavailable'],
    handler: async ({ ctx, deps, params, requestId }) => {
      const limits = { bytes: Math.min(CALLBACK_BYTES, deps.env.BODY_MAX_BYTES), values: MAX_VALUES.others };
      const body = await readBytes(ctx, limits.bytes, jsonMeter(limits));
      const url = `${new URL(deps.env.PUBLIC_URL).href.replace(/\/+$/, '')}${ctx.originalUrl}`;
      const request = { body, url, header: (name: string) => ctx.get(name) };
      await recordCallback(engineEm(deps.orm), deps.env, idOf(params.id), request, requestId);
      return noContent;
    },
  }),
];
