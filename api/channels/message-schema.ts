import { Type, type TProperties } from 'typebox';
import { MESSAGE_CATEGORIES, PUSH_URGENCIES, SUBSCRIPTION_TYPES } from '../../db/entities/channels.ts';
import { MESSAGE_STATUSES } from '../../db/entities/messages.ts';
import { Data } from '../emails/ledger/schema.ts';
import { Id, listQuery, nullable, oneOf, strict, Timestamp } from '../route/schemas.ts';
import { channel } from './template-schema.ts';

const anyId = (description: string) => Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description });
const optionals = <T extends TProperties>(properties: T) => Type.Partial(Type.Object(properties)).properties;

const common = {
  recipientId: anyId('The id of a contact'),
  templateId: Id,
  data: Data,
  category: oneOf(MESSAGE_CATEGORIES, {
    description:
      'Default that of the template, or marketing. A transactional message passes consent, topics, caps, priority and hours. Beside a template of marketing it has no effect',
  }),
  providerId: anyId('The only provider that may send it'),
  campaignId: anyId('The campaign whose statistics the message counts for'),
  priority: Type.Integer({
    minimum: 1,
    maximum: 9,
    description: 'Default 5. Of messages that a cap leaves no room for, those with the lowest are not sent',
  }),
};
export const SendText = strict(
  optionals({
    ...common,
    to: Type.String({ maxLength: 50, description: 'A number, E.164', examples: ['+442079460958'] }),
    body: Type.String({ minLength: 1, maxLength: 5_000, description: 'Liquid', examples: ['Your code is 123456'] }),
  }),
  { examples: [{ recipientId: 1, body: 'Hello {{firstName}}, we open at 9.' }] },
);
const url = Type.String({ maxLength: 2_000, description: 'Liquid' });
export const SendPush = strict(
  optionals({
    ...common,
    subscriptionId: anyId('The id of a device'),
    title: Type.String({ minLength: 1, maxLength: 500, description: 'Liquid' }),
    body: Type.String({ minLength: 1, maxLength: 5_000, description: 'Liquid' }),
    url,
    iconUrl: url,
    imageUrl: url,
    actions: Type.Array(
      strict({
        action: Type.String({ pattern: '^[A-Za-z0-9_-]{1,50}$' }),
        title: Type.String({ minLength: 1, maxLength: 200, description: 'Liquid' }),
        url: Type.Optional(url),
      }),
      { maxItems: 2 },
    ),
    ttlSeconds: Type.Integer({ minimum: 0, maximum: 2_419_200, description: 'Default that of the template, or 86400' }),
    urgency: oneOf(PUSH_URGENCIES, { description: 'Default that of the template, or normal' }),
    collapseKey: Type.String({
      pattern: '^[A-Za-z0-9_-]{1,32}$',
      description: 'Default that of the template',
    }),
  }),
  { examples: [{ recipientId: 1, title: 'Hello {{firstName}}', body: 'Your order is on its way' }] },
);
const status = oneOf(MESSAGE_STATUSES);
export const QueuedMessage = strict(
  { messageId: Id, status, reason: nullable(Type.String()) },
  { title: 'QueuedMessage' },
);

export const Message = strict(
  {
    id: Id,
    channel,
    category: oneOf(MESSAGE_CATEGORIES),
    status,
    reason: nullable(Type.String()),
    contactId: nullable(Id),
    to: nullable(Type.String({ description: 'The number of a text message' })),
    templateId: nullable(Id),
    contentVersion: nullable(Type.Integer()),
    campaignId: nullable(Id),
    executionId: nullable(Id),
    stepId: nullable(Type.String()),
    priority: Type.Integer(),
    providerId: nullable(Id),
    providerMessageId: nullable(Type.String()),
    segments: nullable(Type.Integer()),
    encoding: nullable(oneOf(['GSM-7', 'UCS-2'])),
    devices: Type.Array(
      strict({
        subscriptionId: nullable(Id),
        type: oneOf(SUBSCRIPTION_TYPES),
        status,
        reason: nullable(Type.String()),
        at: Timestamp,
      }),
      { description: 'Of a push: what became of it on each device' },
    ),
    clicks: Type.Integer(),
    firstClickedAt: nullable(Timestamp),
    tenantId: Type.String(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    sentAt: nullable(Timestamp),
    deliveredAt: nullable(Timestamp),
  },
  { title: 'Message' },
);
export const MessageQuery = listQuery(['id', 'createdAt'], {
  channel: Type.Optional(channel),
  contactId: Type.Optional(Id),
  campaignId: Type.Optional(Id),
  status: Type.Optional(status),
  templateId: Type.Optional(Id),
});
