import { isLoopback } from '../config/env-checks.ts';
import { eventContracts, externalSendRequest, ownSendRequest } from './contracts.ts';
import {
  DEAD_LETTERS,
  deadLetterSubject,
  EMAIL_SEND_REQUESTS,
  EVENTS,
  LISTENER_REQUESTS,
  SEND_REQUEST_SUBJECT,
  streamConfigs,
} from './streams.ts';
import type { Env } from '../config/env-schema.ts';

/** The others are for the service itself. */
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
    consumer: { type: 'string', description: 'Which consumer could not handle it' },
    subject: { type: 'string', description: 'Where it came from' },
    error: { type: 'string' },
    body: { type: 'string', description: 'The message as it was, up to 64 KiB of it' },
  },
};

const exampleData = (schema: {
  properties: Record<string, { type?: string; format?: string; anyOf?: { type?: string }[] }>;
}): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(schema.properties).map(([name, { type, format, anyOf }]) => {
      if (name === 'tenantId') return [name, 'default'];
      if (name === 'email') return [name, 'ada@example.com'];
      if (format === 'date-time') return [name, '2030-01-31T12:00:00.000Z'];
      const of = {
        integer: 7,
        boolean: false,
        array: ['firstName'],
        string: name === 'url' ? 'https://www.example.com/guide' : 'text',
      };
      return [name, of[(type ?? anyOf?.[0]?.type ?? 'string') as keyof typeof of]];
    }),
  );

const eventExample = (type: string, data: Parameters<typeof exampleData>[0]) => ({
  specversion: '1.0',
  id: '0190f3a2-7c1d-7e6a-9b7a-2f1d3c4b5a69',
  source: 'perennial',
  type,
  time: '2030-01-31T12:00:00.000Z',
  datacontenttype: 'application/json',
  tenantid: 'default',
  data: exampleData(data),
});

const description = `Events are CloudEvents 1.0 in structured JSON, in the JetStream stream \`${EVENTS}\`.

Listen as the user \`listener\`: make a durable pull consumer on \`${EVENTS}\`, fetch, handle, acknowledge. Each event comes at least once: keep its \`id\` (also \`Nats-Msg-Id\`) in the transaction of its effect, and leave out what is there already. Do not rely on the order of events of different entities.

The user makes, uses and deletes consumers of its own and may publish \`${SEND_REQUEST_SUBJECT}\` in a service with one tenant. All else is refused.`;

/** Where the listener logs in: the service's own NATS when that is on this machine; the name of another one is not for everybody. */
function hostOf(natsUrl: string): string {
  const { host, hostname } = new URL(natsUrl.split(',')[0]!);
  return isLoopback(hostname) ? host : 'nats.example.com:4222';
}

/** AsyncAPI 3 of what the service publishes and takes on NATS, made from the contracts that check it. */
export function asyncapi({
  NATS_URL,
  EVENTS_MAX_AGE,
  ENABLE_MULTI_TENANT,
}: Pick<Env, 'NATS_URL' | 'EVENTS_MAX_AGE' | 'ENABLE_MULTI_TENANT'>) {
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
          examples: [{ payload: eventExample(type, data as never) }],
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
      ? 'Only the service itself writes these: other programs may not in a service of many tenants'
      : 'Delivers an email to a contact, once for each `emailId` of yours',
    description: `The acknowledgement says that a request is kept, not that it can be read: one that can not becomes a dead letter with the reason, which the operator sees and listeners may not. What listeners request is kept in the stream \`${LISTENER_REQUESTS}\`, apart from the service's own. A request of more than 64 KiB, or one too many waiting, is refused.

A publication to another subject is refused; where a client does not wait for the reason (nats-py), it shows as a timeout.`,
    messages: {
      request: {
        name: 'EmailSendRequest',
        contentType: 'application/json',
        payload: { oneOf: [externalSendRequest, ownSendRequest] },
        examples: [{ payload: { templateId: 3, recipientId: 7, emailId: 'order-4711' } }],
      },
    },
  };
  operations['deliver'] = {
    action: 'receive',
    channel: { $ref: '#/channels/sendRequests' },
    summary: 'Requests to deliver an email',
  };
  channels['deadLetters'] = {
    address: deadLetterSubject('{consumer}'),
    title: 'Dead letters',
    servers,
    'x-stream': DEAD_LETTERS,
    summary: 'Messages that could not be handled, for the operator',
    description:
      "Not for listeners: read them in the table `dead_letters` or in the stream with the service's login. The worker logs each, too.",
    parameters: { consumer: { description: 'Which consumer could not handle it' } },
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
    'x-streams': streamConfigs(EVENTS_MAX_AGE)
      .filter(({ name }) => OPEN_STREAMS.has(name!))
      .map(({ name, subjects, retention, max_age }) => ({
        name,
        subjects,
        retention,
        maxAgeSeconds: max_age ? max_age / 1_000_000_000 : null,
      })),
  };
}
