import { randomUUID } from 'node:crypto';
import { exampleData } from '../../transport/examples.ts';
import { bodyOf } from '../../domain/webhooks/content/body.ts';
import { sendWebhook } from '../../domain/webhooks/deliveries/attempt.ts';
import { readEndpoint } from '../../domain/webhooks/endpoints/endpoints.ts';
import { openSecrets } from '../../domain/webhooks/endpoints/keys.ts';
import { route } from '../route/route.ts';
import { IdParams } from '../route/schemas.ts';
import { presentAttempt } from './presenter.ts';
import * as schema from './schema.ts';

/** The number of a test, which is none of the webhook's deliveries. */
const NO_SEQUENCE = 0;

export const testRoute = route({
  method: 'POST',
  path: '/webhooks/{id}/test',
  operationId: 'testWebhook',
  summary: 'Send an example to a webhook',
  description:
    'Once, at once, whether the webhook is active or not, with the example of `GET /webhooks/event-types`, `sequence` 0 and a new `webhook-id`. It is no delivery, and changes nothing. 409 `conflict` if its key or its headers cannot be decrypted any more: rotate the secret, or give the headers again.',
  access: 'webhooks:write',
  params: IdParams,
  body: schema.TestRequest,
  responses: { 200: { schema: schema.Attempt, description: 'The attempt, whether it succeeded or not' } },
  errors: ['conflict'],
  repeatable: true,
  handler: async ({ deps, em, principal: { tenantId }, params, body }) => {
    const { endpoint } = await readEndpoint(em, params.id);
    const type = body.type;
    const [id, time] = [randomUUID(), new Date()];
    const data = { ...exampleData(type), tenantId, timestamp: time.toISOString() };
    const event = { id, tenantId, type, time, requestId: null, data: JSON.stringify(data) };
    const text = bodyOf(event, { format: endpoint.format ?? 'standard', sequence: NO_SEQUENCE });
    const secrets = openSecrets(deps.env, endpoint);
    const { attempt } = await sendWebhook(deps.outbound, { endpoint, secrets, id, body: text });
    return { body: presentAttempt(attempt), headers: { 'Cache-Control': 'no-store' } };
  },
});
