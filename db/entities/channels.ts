import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

/** All channels; those other than email have their messages in the table `messages`. */
export const CHANNELS = ['email', 'sms', 'push'] as const;
export type Channel = (typeof CHANNELS)[number];
export const MESSAGE_CHANNELS = ['sms', 'push'] as const;
export type MessageChannel = (typeof MESSAGE_CHANNELS)[number];
export const MESSAGE_CATEGORIES = ['marketing', 'transactional'] as const;
export type MessageCategory = (typeof MESSAGE_CATEGORIES)[number];
/** How urgently a push service delivers a message (RFC 8030 section 5.3). */
export const PUSH_URGENCIES = ['very-low', 'low', 'normal', 'high'] as const;
export type PushUrgency = (typeof PUSH_URGENCIES)[number];

/** The content of text messages or pushes, written in Liquid. */
const ChannelTemplateSchema = defineEntity({
  name: 'ChannelTemplate',
  tableName: 'channel_templates',
  ...tenantTable,
  uniques: [{ name: 'channel_templates_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    channel: p.enum(MESSAGE_CHANNELS),
    category: p.enum(MESSAGE_CATEGORIES).default('marketing'),
    topicId: bigid().nullable(),
    body: p.text(),
    /** Only of pushes, like all up to the collapse key. */
    title: p.text().nullable(),
    url: p.text().nullable(),
    iconUrl: p.text().nullable(),
    imageUrl: p.text().nullable(),
    ttlSeconds: p.integer().nullable(),
    urgency: p.enum(PUSH_URGENCIES).nullable(),
    collapseKey: p.string().length(32).nullable(),
    /** Only of text messages: curly quotes, dashes and ellipses become characters of GSM-7. */
    smartEncoding: p.boolean().default(true),
    /** Increases when the content changes. */
    contentVersion: p.integer().default(1),
    ...resourceColumns(),
  },
});
export class ChannelTemplate extends ChannelTemplateSchema.class {}
ChannelTemplateSchema.setClass(ChannelTemplate);

export const PROVIDER_TYPES = ['twilio', 'http', 'fcm'] as const;
export type ProviderType = (typeof PROVIDER_TYPES)[number];

/** A service that sends text messages or pushes. Web Push needs none. */
const ChannelProviderSchema = defineEntity({
  name: 'ChannelProvider',
  tableName: 'channel_providers',
  ...tenantTable,
  uniques: [{ name: 'channel_providers_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    channel: p.enum(MESSAGE_CHANNELS),
    type: p.enum(PROVIDER_TYPES),
    /** The provider with the lowest number is used first. */
    priority: p.integer().default(1),
    /** The limit for all sender processes together. */
    ratePerSecond: p.integer().nullable(),
    /** What may be shown, by type. */
    config: json<Record<string, unknown>>(),
    /** What must not be shown: JSON, encrypted with LINK_SECRET. */
    credentials: p.text().nullable(),
    active: p.boolean().default(true),
    ...resourceColumns(),
  },
});
export class ChannelProvider extends ChannelProviderSchema.class {}
ChannelProviderSchema.setClass(ChannelProvider);

/** How many marketing messages of these channels together a contact gets within some days. */
export interface ChannelCap {
  channels: Channel[];
  max: number;
  perDays: number;
}
/** Marketing messages are sent only within this window; `contact`: in the time zone of each contact. */
export interface ChannelSendWindow {
  days?: (string | number)[];
  from: string;
  to: string;
  timezone: string;
}

/** The rules of a tenant for marketing messages on all channels. */
const ChannelSettingsSchema = defineEntity({
  name: 'ChannelSettings',
  tableName: 'channel_settings',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    caps: json<ChannelCap[]>().defaultRaw(`'[]'`),
    sendWindows: json<Record<Channel, ChannelSendWindow | null>>(),
    timezone: p.string().length(64).default('UTC'),
    smsConsent: p.enum(['required', 'implied'] as const).default('required'),
    stopWords: p.array().$type<string[]>().defaultRaw(`'{}'`),
    helpText: p.text().nullable(),
    stopText: p.text().nullable(),
    optOutText: p.text().nullable(),
    maxHoldHours: p.integer().default(24),
    ...resourceColumns(),
  },
});
export class ChannelSettings extends ChannelSettingsSchema.class {}
ChannelSettingsSchema.setClass(ChannelSettings);

export const CHANNEL_SUPPRESSION_REASONS = ['unsubscribed', 'invalid', 'complained', 'manual'] as const;
export type ChannelSuppressionReason = (typeof CHANNEL_SUPPRESSION_REASONS)[number];

/** An address of a channel that gets no marketing message, or none at all. Kept when contacts are deleted. */
const ChannelSuppressionSchema = defineEntity({
  name: 'ChannelSuppression',
  tableName: 'channel_suppressions',
  ...tenantTable,
  uniques: [{ name: 'channel_suppressions_address_key', properties: ['tenantId', 'channel', 'address'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    channel: p.enum(MESSAGE_CHANNELS),
    /** sms: the number (E.164). push: the key of the contact's email address. `erased:` and a digest after an erasure. */
    address: p.string().length(320),
    reason: p.enum(CHANNEL_SUPPRESSION_REASONS),
    /** What caused it: `api`, `text`, `provider` or `page`. */
    source: p.text(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class ChannelSuppression extends ChannelSuppressionSchema.class {}
ChannelSuppressionSchema.setClass(ChannelSuppression);

export const CONSENT_STATUSES = ['subscribed', 'unsubscribed'] as const;
export type ConsentStatus = (typeof CONSENT_STATUSES)[number];

/**
 * Decisions about marketing text messages to a number, with their evidence: the last one (by id) holds. Rows are only
 * ever added; they are kept when contacts are deleted.
 */
const TextConsentSchema = defineEntity({
  name: 'TextConsent',
  tableName: 'text_consents',
  ...tenantTable,
  indexes: [
    { name: 'text_consents_address_idx', properties: ['tenantId', 'address', 'id'] },
    { name: 'text_consents_at_idx', properties: ['tenantId', 'at'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    /** E.164; `erased:` and a digest after an erasure. */
    address: p.string().length(100),
    status: p.enum(CONSENT_STATUSES),
    /** `text` (a received text), `page`, `provider`, or what the API was told. */
    source: p.string().length(100),
    /** Whether the address decided this by a received text; only such opt-outs can be undone by a text. */
    byText: p.boolean().default(false),
    /** What was said, as far as it is known. */
    text: p.text().nullable(),
    ip: p.text().nullable(),
    at: timestamp().defaultRaw('now()'),
  },
});
export class TextConsent extends TextConsentSchema.class {}
TextConsentSchema.setClass(TextConsent);

/** When a number was last told how to opt out. */
const OptOutNoticeSchema = defineEntity({
  name: 'OptOutNotice',
  tableName: 'opt_out_notices',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    address: p.string().length(100).primary(),
    at: timestamp(),
  },
});
export class OptOutNotice extends OptOutNoticeSchema.class {}
OptOutNoticeSchema.setClass(OptOutNotice);

/** What people want on all channels. Hangs on the key of an email address, or on a number if there is no email address. */
const ChannelPreferenceSchema = defineEntity({
  name: 'ChannelPreference',
  tableName: 'channel_preferences',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    address: p.string().length(320).primary(),
    quietHours: json<{ from: string; to: string; timezone: string }>().nullable(),
    preferredChannel: p.enum(CHANNELS).nullable(),
    updatedAt: timestamp().defaultRaw('now()'),
  },
});
export class ChannelPreference extends ChannelPreferenceSchema.class {}
ChannelPreferenceSchema.setClass(ChannelPreference);

/** Text messages that were received. */
const InboundTextSchema = defineEntity({
  name: 'InboundText',
  tableName: 'inbound_texts',
  ...tenantTable,
  uniques: [
    { name: 'inbound_texts_message_key', properties: ['tenantId', 'providerId', 'providerMessageId'] },
    { name: 'inbound_texts_tenant_id_id_key', properties: ['tenantId', 'id'] },
  ],
  indexes: [
    { name: 'inbound_texts_from_idx', properties: ['tenantId', 'fromAddress', 'id'] },
    // Used by `received_texts_of` alone.
    { name: 'inbound_texts_contacts_idx', properties: ['contactIds'], type: 'gin' },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    providerId: bigid(),
    providerMessageId: p.string().length(255),
    fromAddress: p.string().length(100),
    toAddress: p.string().length(100).nullable(),
    text: p.text(),
    optOut: p.enum(['yes', 'no', 'maybe'] as const),
    /** The contacts that had the number when it was received. */
    contactIds: p.array(Number).columnType('bigint[]'),
    receivedAt: timestamp().defaultRaw('now()'),
  },
});
export class InboundText extends InboundTextSchema.class {}
InboundTextSchema.setClass(InboundText);

/** A website whose visitors can subscribe to pushes, with its key pair (VAPID, RFC 8292). */
const PushSiteSchema = defineEntity({
  name: 'PushSite',
  tableName: 'push_sites',
  ...tenantTable,
  uniques: [
    { name: 'push_sites_site_key', properties: ['siteKey'] },
    { name: 'push_sites_tenant_id_id_key', properties: ['tenantId', 'id'] },
  ],
  // Used by `isOriginOfAnySite`.
  indexes: [{ name: 'push_sites_origins_idx', properties: ['origins'], type: 'gin' }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    origins: p.array().$type<string[]>(),
    /** mailto: or https:, told to push services. */
    subject: p.text(),
    siteKey: p.string().length(40),
    publicKey: p.text(),
    /** Encrypted with LINK_SECRET. */
    privateKey: p.text(),
    iconUrl: p.text().nullable(),
    defaultUrl: p.text().nullable(),
    ...resourceColumns(),
  },
});
export class PushSite extends PushSiteSchema.class {}
PushSiteSchema.setClass(PushSite);

export const SUBSCRIPTION_STATUSES = ['active', 'gone', 'replaced'] as const;
export const SUBSCRIPTION_TYPES = ['webpush', 'fcm'] as const;
export type SubscriptionType = (typeof SUBSCRIPTION_TYPES)[number];

/** A browser or an app that receives pushes. */
const PushSubscriptionSchema = defineEntity({
  name: 'PushSubscription',
  tableName: 'push_subscriptions',
  ...tenantTable,
  uniques: [
    { name: 'push_subscriptions_digest_key', properties: ['tenantId', 'digest'] },
    { name: 'push_subscriptions_tenant_id_id_key', properties: ['tenantId', 'id'] },
  ],
  indexes: [
    { name: 'push_subscriptions_contact_idx', properties: ['tenantId', 'contactId'], where: 'contact_id is not null' },
    {
      name: 'push_subscriptions_unlinked_idx',
      properties: ['tenantId', 'siteId', 'updatedAt', 'id'],
      where: 'contact_id is null and site_id is not null',
    },
    { name: 'push_subscriptions_site_idx', properties: ['tenantId', 'siteId', 'id'], where: 'site_id is not null' },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    type: p.enum(SUBSCRIPTION_TYPES),
    status: p.enum(SUBSCRIPTION_STATUSES).default('active'),
    contactId: bigid().nullable(),
    /** Only of webpush, like the keys. */
    siteId: bigid().nullable(),
    /** webpush: the URL of the push service. fcm: the registration token. */
    endpoint: p.text(),
    /** SHA-256 of type and endpoint, because an endpoint may be too long for an index. */
    digest: p.string().length(64),
    p256dh: p.text().nullable(),
    auth: p.text().nullable(),
    expiresAt: timestamp().nullable(),
    replacedBy: bigid().nullable(),
    platform: p.string().length(50).nullable(),
    timezone: p.string().length(64).nullable(),
    locale: p.string().length(35).nullable(),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
});
export class PushSubscription extends PushSubscriptionSchema.class {}
PushSubscriptionSchema.setClass(PushSubscription);

export const channelEntities = [
  ChannelTemplate,
  ChannelProvider,
  ChannelSettings,
  ChannelSuppression,
  TextConsent,
  OptOutNotice,
  ChannelPreference,
  InboundText,
  PushSite,
  PushSubscription,
];
