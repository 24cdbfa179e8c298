import { eventContracts } from './contracts.ts';
import { SEND_REQUEST_SUBJECT } from './streams.ts';

const cloudEvent = (type: string, data: unknown) => ({
  type: 'object',
  required: ['specversion', 'id', 'source', 'type', 'time', 'tenantid', 'data'],
  properties: {
    specversion: { const: '1.0' }, id: { type: 'string', format: 'uuid' }, source: { type: 'string' }, type: { const: type },
    time: { type: 'string', format: 'date-time' }, datacontenttype: { const: 'application/json' }, tenantid: { type: 'string' },
    requestid: { type: 'string' }, data,
  },
});

const sendRequest = {
  type: 'object',
  required: ['templateId', 'recipientId', 'emailId'],
  properties: {
    templateId: { type: 'integer' }, recipientId: { type: ['integer', 'null'] }, emailId: { type: ['integer', 'string'], maxLength: 100 },
    campaignId: { type: ['integer', 'null'] }, tenantId: { type: 'string' },
  },
};

/** AsyncAPI 3 of what the service publishes and takes on NATS, made from the contracts that check it. */
export function asyncapi() {
  const channels: Record<string, unknown> = {};
  const operations: Record<string, unknown> = {};
  for (const [type, data] of Object.entries(eventContracts)) {
    channels[type] = {
      address: `events.{tenantId}.${type}`,
      parameters: { tenantId: { description: 'Tenant of the event' } },
      messages: { event: { name: type, contentType: 'application/cloudevents+json', payload: cloudEvent(type, data) } },
    };
    operations[`publish${type}`] = { action: 'send', channel: { $ref: `#/channels/${type}` }, summary: (data as { description?: string }).description };
  }
  channels['sendRequests'] = { address: SEND_REQUEST_SUBJECT, messages: { request: { name: 'EmailSendRequest', contentType: 'application/json', payload: sendRequest } } };
  operations['deliver'] = { action: 'receive', channel: { $ref: '#/channels/sendRequests' }, summary: 'Requests to deliver an email' };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Perennial events', version: '1.0.0', license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      description: 'CloudEvents 1.0 in structured JSON on NATS JetStream, each at least once: `id` (also Nats-Msg-Id) tells repetitions.',
    },
    defaultContentType: 'application/json', channels, operations,
  };
}
