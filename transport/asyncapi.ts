import { isLoopback } from '../config/env-checks.ts';
import { eventContracts, externalSendRequest, ownSendRequest, type EventType } from '../events/contracts.ts';
import { exampleData } from './examples.ts';
import {
  DEAD_LETTERS,
  deadLetterSubject,
  EMAIL_SEND_REQUESTS,
  EVENTS,
  LISTENER_REQUESTS,
  SEND_REQUEST_SUBJECT,
  streamConfigs,
  type StreamSettings,
} from './streams.ts';
import type { Env } from '../config/env-schema.ts';

/** The streams that the document lists; the others are internal. */
const OPEN_STREAMS = new Set([EVENTS, EMAIL_SEND_REQUESTS, DEAD_LETTERS]);

const cloudEvent = (type: string, data: unknown) => ({
  type: 'object',
  required: ['specversion', 'id', 'source', 'type', 'time', 'tenantid', 'data'],
  properties: {
    specversion: { const: '1.0' },
    id: { type: 'string', format: 'uuid' },
    source: { type: 'string' },
    type: { const: type },
    time: { type: 'string', format: 'date-time' },
    datacontenttype: { const: 'application/json' },
    tenantid: { type: 'string' },
    requestid: { type: 'string' },
    data,
  },
});

const deadLetter = {
  type: 'object',
  required: ['consumer', 'subject', 'error', 'body'],
  properties: {
    consumer: { type: 'string', description: 'The consumer that could not handle the message' },
    subject: { type: 'string', description: 'The original subject' },
    error: { type: 'string' },
    body: { type: 'string', description: 'The original message, truncated to 64 KiB' },
  },
};

const eventExample = (type: EventType) => ({
  specversion: '1.0',
  id: '0190f3a2-7c1d-7e6a-9b7a-2f1d3c4b5a69',
  source: 'perennial',
  type,
  time: '2030-01-31T12:00:00.000Z',
  datacontenttype: 'application/json',
  tenantid: 'default',
  data: exampleData(type),
});

const description = `Events are CloudEvents 1.0 in structured JSON, in the JetStream stream \`${EVENTS}\`.

Connect as the user \`listener\`, create a durable pull consumer on \`${EVENTS}\`, then fetch, handle and acknowledge. Each event is delivered at least once: store its \`id\` (also in \`Nats-Msg-Id\`) in the same transaction as its effect, and skip events whose id is already stored. Do not rely on the order of events of different entities.

The user may create, use and delete its own consumers and, in single-tenant mode, publish to \`${SEND_REQUEST_SUBJECT}\`. Everything else is denied.`;

/** The NATS host to show: the configured one if it is on this machine, else a placeholder, to keep its name private. */
function hostOf(natsUrl: string): string {
  const { host, hostname } = new URL(natsUrl.split(',')[0]!);
  return isLoopback(hostname) ? host : 'nats.example.com:4222';
}

/** The AsyncAPI 3 document of all messages on NATS, generated from the contracts that validate them. */
export function asyncapi({
  NATS_URL,
  ENABLE_MULTI_TENANT,
  ...settings
}: Pick<Env, 'NATS_URL' | 'ENABLE_MULTI_TENANT'> & StreamSettings) {
  const channels: Record<string, unknown> = {};
  const operations: Record<string, unknown> = {};
  const servers = [{ $ref: '#/servers/nats' }];
  const tenantId = { description: `Tenant of the event${ENABLE_MULTI_TENANT ? '' : ': `default`'}` };
  for (const [type, data] of Object.entries(eventContracts)) {
    const { description: summary } = data as { description?: string };
    channels[type] = {
      address: `events.{tenantId}.${type}`,
      title: type,
      summary,
      servers,
      parameters: { tenantId },
      messages: {
        event: {
          name: type,
          contentType: 'application/cloudevents+json',
          payload: cloudEvent(type, data),
          examples: [{ payload: eventExample(type as EventType) }],
        },
      },
      'x-stream': EVENTS,
    };
    operations[`publish${type}`] = { action: 'send', channel: { $ref: `#/channels/${type}` }, summary };
  }
  channels['sendRequests'] = {
    address: SEND_REQUEST_SUBJECT,
    title: 'Send requests',
    servers,
    'x-stream': EMAIL_SEND_REQUESTS,
    summary: ENABLE_MULTI_TENANT
      ? 'Written only by the service itself: in multi-tenant mode other programs must not publish send requests'
      : 'Sends an email to a contact, once per `emailId` that you choose',
    description: `The acknowledgement means that the request is stored, not that it is valid: an invalid request becomes a dead letter with the reason, which the operator can read and listeners cannot. Requests of listeners are stored in the stream \`${LISTENER_REQUESTS}\`, separate from the service's own. A request over 64 KiB, or one beyond the limit of waiting requests, is refused.

Publishing to another subject is denied; in clients that do not wait for the reason (such as nats-py) this shows as a timeout.`,
    messages: {
      request: {
        name: 'EmailSendRequest',
        contentType: 'application/json',
        payload: externalSendRequest,
        examples: [{ payload: { templateId: 3, recipientId: 7, emailId: 'order-4711', data: { order: '4711' } } }],
      },
      ownRequest: { name: 'OwnEmailSendRequest', contentType: 'application/json', payload: ownSendRequest },
    },
  };
  operations['deliver'] = {
    action: 'receive',
    channel: { $ref: '#/channels/sendRequests' },
    summary: 'Receive requests to send an email',
  };
  channels['deadLetters'] = {
    address: deadLetterSubject('{consumer}'),
    title: 'Dead letters',
    servers,
    'x-stream': DEAD_LETTERS,
    summary: 'Messages that could not be handled; for the operator',
    description:
      "Not available to listeners: read them in the table `dead_letters`, or in the stream with the service's login. The worker also logs each one.",
    parameters: { consumer: { description: 'The consumer that could not handle the message' } },
    messages: { letter: { name: 'DeadLetter', contentType: 'application/json', payload: deadLetter } },
  };
  operations['bury'] = {
    action: 'send',
    channel: { $ref: '#/channels/deadLetters' },
    summary: 'A message could not be handled',
  };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Perennial events',
      version: '1.0.0',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      description,
    },
    defaultContentType: 'application/json',
    servers: {
      nats: {
        host: hostOf(NATS_URL),
        protocol: 'nats',
        description: "NATS with JetStream. `npm start` prints its address with the listener's login.",
        security: [{ $ref: '#/components/securitySchemes/listener' }],
      },
    },
    channels,
    operations,
    components: {
      securitySchemes: {
        listener: { type: 'userPassword', description: 'User and password of a NATS account for listeners' },
      },
    },
    'x-streams': streamConfigs(settings)
      .filter(({ name }) => OPEN_STREAMS.has(name!))
      .map(({ name, subjects, retention, max_age }) => ({
        name,
        subjects,
        retention,
        maxAgeSeconds: max_age ? max_age / 1_000_000_000 : null,
      })),
  };
}
