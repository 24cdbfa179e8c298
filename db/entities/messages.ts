import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, tenantId, tenantTable, timestamp } from './base.ts';
import { MESSAGE_CATEGORIES, MESSAGE_CHANNELS } from './channels.ts';
import { EMAIL_LANES } from './emails.ts';

export const MESSAGE_STATUSES = [
  'QUEUED',
  'SENDING',
  'SENT',
  'DELIVERED',
  'FAILED',
  'UNDELIVERED',
  'SUPPRESSED',
  'UNKNOWN',
] as const;
export type MessageStatus = (typeof MESSAGE_STATUSES)[number];
export const SEND_TYPES = ['sms', 'webpush', 'fcm'] as const;
export type SendType = (typeof SEND_TYPES)[number];

/** How push services deliver a push. */
export interface PushDelivery {
  ttlSeconds?: number;
  urgency?: string;
  collapseKey?: string;
}

/** The content of a message that was sent without a template: Liquid. */
export interface InlineContent extends PushDelivery {
  body: string;
  title?: string;
  url?: string;
  iconUrl?: string;
  imageUrl?: string;
  actions?: { action: string; title: string; url?: string }[];
}

/**
 * The ledger of text messages and pushes: one row per intended message, written before anything is sent. Unique per
 * `sendKey`. What is sent, to one number or to each device, is in `message_sends`.
 */
const MessageSchema = defineEntity({
  name: 'Message',
  tableName: 'messages',
  ...tenantTable,
  uniques: [
    { name: 'messages_send_key', properties: ['tenantId', 'sendKey'] },
    { name: 'messages_tenant_id_id_key', properties: ['tenantId', 'id'] },
  ],
  indexes: [
    { name: 'messages_contact_idx', properties: ['tenantId', 'contactId'] },
    { name: 'messages_campaign_idx', properties: ['tenantId', 'campaignId', 'id'], where: 'campaign_id is not null' },
    // Messages to a number without a contact.
    {
      name: 'messages_to_idx',
      properties: ['tenantId', 'toAddress'],
      where: 'contact_id is null and to_address is not null',
    },
    // Pushes to a device without a contact, for when the device is replaced.
    {
      name: 'messages_device_idx',
      properties: ['tenantId', 'subscriptionId'],
      where: 'contact_id is null and subscription_id is not null',
    },
    { name: 'messages_execution_idx', properties: ['tenantId', 'executionId'], where: 'execution_id is not null' },
    { name: 'messages_template_idx', properties: ['tenantId', 'templateId', 'id'], where: 'template_id is not null' },
    // What an operator has to resolve.
    { name: 'messages_unknown_idx', properties: ['tenantId', 'id'], where: 'is_unknown' },
    // What was not sent or not delivered. A start, and a settlement as SENT, leave the reason null, and so write to no index.
    { name: 'messages_reason_idx', properties: ['tenantId', 'id'], where: 'reason is not null' },
    // Answers to received texts, for `expireAnswers`.
    { name: 'messages_answers_idx', properties: ['createdAt'], where: `send_key like 'inbound/%/reply'` },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    sendKey: p.text(),
    channel: p.enum(MESSAGE_CHANNELS),
    category: p.enum(MESSAGE_CATEGORIES),
    /** 1 to 9; of two messages that a cap allows one of, the one with the higher priority is sent. */
    priority: p.smallint().default(5),
    templateId: bigid().nullable(),
    /** Set when the message is rendered. */
    contentVersion: p.integer().nullable(),
    /** Of a message with a template: what the call said instead of it. */
    content: json<InlineContent | PushDelivery>().nullable(),
    data: json<Record<string, unknown>>().nullable(),
    contactId: bigid().nullable(),
    /** sms: the number (E.164). Set when it is queued, and again when it is started. */
    toAddress: p.string().length(100).nullable(),
    /** push to one device only. */
    subscriptionId: bigid().nullable(),
    /** The only provider that may send it; null: any. */
    providerId: bigid().nullable(),
    campaignId: bigid().nullable(),
    executionId: bigid().nullable(),
    stepId: p.string().length(64).nullable(),
    /** The best of its sends: DELIVERED, SENT, UNKNOWN, else what is open, else FAILED. */
    status: p.enum(MESSAGE_STATUSES).default('QUEUED'),
    /** For its index. A start, and a settlement as anything else, do not change this, and so write to no index. */
    isUnknown: p.boolean().generated(`(status = 'UNKNOWN') stored`),
    reason: p.text().nullable(),
    /**
     * When it passed the gates and was started for the first time, or an operator chose that it is sent again. From then
     * on it has a slot of caps.
     */
    startedAt: timestamp().nullable(),
    /** sms: set when it is rendered. */
    segments: p.smallint().nullable(),
    encoding: p.text().nullable(),
    /** When MESSAGE_SENT was written. */
    toldAt: timestamp().nullable(),
    sentAt: timestamp().nullable(),
    deliveredAt: timestamp().nullable(),
    requestId: p.text().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
});
export class Message extends MessageSchema.class {}
MessageSchema.setClass(Message);

/** What is sent for a message: one row for a text message, one per device for a push. Leased and started by itself. */
const MessageSendSchema = defineEntity({
  name: 'MessageSend',
  tableName: 'message_sends',
  ...tenantTable,
  uniques: [{ name: 'message_sends_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  indexes: [
    // No index on lease_until, so that a lease writes to no index.
    {
      name: 'message_sends_open_idx',
      properties: ['lane', 'tenantId', 'nextAttemptAt', 'id'],
      where: 'is_open',
    },
    { name: 'message_sends_message_idx', properties: ['tenantId', 'messageId'] },
    {
      name: 'message_sends_provider_idx',
      properties: ['providerMessageId'],
      where: 'provider_message_id is not null',
    },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    messageId: bigid(),
    type: p.enum(SEND_TYPES),
    /** The device; null for a text message. */
    subscriptionId: bigid().nullable(),
    lane: p.enum(EMAIL_LANES),
    status: p.enum(MESSAGE_STATUSES).default('QUEUED'),
    /** Whether senders may take it or have taken it. Its start does not change this, and so writes to no index. */
    isOpen: p.boolean().generated(`(status in ('QUEUED', 'SENDING')) stored`),
    reason: p.text().nullable(),
    nextAttemptAt: timestamp().defaultRaw('now()'),
    /** The `nextAttemptAt` that open hours gave it; of any other `nextAttemptAt` it says nothing. */
    heldUntil: timestamp().nullable(),
    /** Whoever leases or sends it. */
    holder: p.text().nullable(),
    leaseUntil: timestamp().nullable(),
    attempt: p.integer().default(0),
    /** The provider of the last attempt; null for Web Push. */
    providerId: bigid().nullable(),
    /** The provider that may have accepted it, and is asked again under the same key: no other may send it. */
    boundProviderId: bigid().nullable(),
    /** A digest of how that provider was asked: asked another way it may not know the key (`askedAs`). */
    boundTo: p.text().nullable(),
    providerMessageId: p.string().length(255).nullable(),
    sentAt: timestamp().nullable(),
    deliveredAt: timestamp().nullable(),
    updatedAt: timestamp().defaultRaw('now()'),
  },
});
export class MessageSend extends MessageSendSchema.class {}
MessageSendSchema.setClass(MessageSend);

/** An attempt that was not accepted immediately, with the answer. Most messages have none. */
const MessageAttemptSchema = defineEntity({
  name: 'MessageAttempt',
  tableName: 'message_attempts',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    sendId: bigid().primary(),
    attempt: p.integer().primary(),
    providerId: bigid().nullable(),
    outcome: p.text(),
    reply: p.text().nullable(),
    at: timestamp().defaultRaw('now()'),
  },
});
export class MessageAttempt extends MessageAttemptSchema.class {}
MessageAttemptSchema.setClass(MessageAttempt);

/** What a provider or a device reported about a message, each report once; applied when the attempt is settled. */
const MessageReportSchema = defineEntity({
  name: 'MessageReport',
  tableName: 'message_reports',
  ...tenantTable,
  uniques: [{ name: 'message_reports_event_key', properties: ['tenantId', 'sendId', 'status'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    sendId: bigid(),
    status: p.enum(['SENT', 'DELIVERED', 'UNDELIVERED', 'FAILED'] as const),
    /** The error code of the provider. */
    code: p.string().length(100).nullable(),
    /** `provider` or `device`. */
    source: p.text(),
    providerMessageId: p.string().length(255).nullable(),
    at: timestamp().defaultRaw('now()'),
  },
});
export class MessageReport extends MessageReportSchema.class {}
MessageReportSchema.setClass(MessageReport);

/** Short links of messages. */
const MessageLinkSchema = defineEntity({
  name: 'MessageLink',
  tableName: 'message_links',
  ...tenantTable,
  indexes: [{ name: 'message_links_message_idx', properties: ['tenantId', 'messageId'] }],
  properties: {
    /** 10 letters and digits; unique over all tenants. */
    code: p.string().length(10).primary(),
    tenantId: tenantId(),
    messageId: bigid(),
    sendId: bigid(),
    /** From 1, in a push without a URL of its own from 2: 1 is that of the push itself, the others are of its actions. */
    position: p.smallint(),
    url: p.text(),
  },
});
export class MessageLink extends MessageLinkSchema.class {}
MessageLinkSchema.setClass(MessageLink);

/** Clicks on the links of messages; `automated` ones are excluded from all figures. */
const MessageClickSchema = defineEntity({
  name: 'MessageClick',
  tableName: 'message_clicks',
  ...tenantTable,
  uniques: [{ name: 'message_clicks_event_key', properties: ['eventId'] }],
  indexes: [
    { name: 'message_clicks_message_idx', properties: ['tenantId', 'messageId'] },
    { name: 'message_clicks_pending_idx', properties: ['receivedAt'], where: 'automated is null' },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    messageId: bigid(),
    sendId: bigid(),
    eventId: p.uuid(),
    at: timestamp(),
    url: p.text(),
    ip: p.text().nullable(),
    userAgent: p.text().nullable(),
    /** Null until it is classified, 2 s after it was received; only then does it count as an event. */
    automated: p.boolean().nullable(),
    first: p.boolean().default(false),
    receivedAt: timestamp().defaultRaw('now()'),
  },
});
export class MessageClick extends MessageClickSchema.class {}
MessageClickSchema.setClass(MessageClick);

export const messageEntities = [Message, MessageSend, MessageAttempt, MessageReport, MessageLink, MessageClick];
