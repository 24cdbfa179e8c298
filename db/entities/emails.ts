import { defineEntity, p } from '@mikro-orm/core';
import { bigid, engineTable, id, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

export const EMAIL_STATUSES = [
  'QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'FAILED', 'SUPPRESSED', 'BOUNCED', 'COMPLAINED', 'UNKNOWN',
] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];
/** Lanes keep a password reset or a journey's mail from standing behind a large campaign. */
export const EMAIL_LANES = ['transactional', 'journey', 'bulk'] as const;
export type EmailLane = (typeof EMAIL_LANES)[number];

const EmailTemplateSchema = defineEntity({
  name: 'EmailTemplate',
  tableName: 'email_templates',
  ...tenantTable,
  uniques: [
    { name: 'email_templates_tenant_id_id_key', properties: ['tenantId', 'id'] },
    { name: 'email_templates_system_key', properties: ['tenantId', 'systemKey'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    subject: p.text(),
    content: p.text(),
    text: p.text().nullable(),
    previewText: p.text().nullable(),
    category: p.enum(['marketing', 'transactional'] as const).default('marketing'),
    topicId: bigid().nullable(),
    fromName: p.string().length(255).nullable(),
    fromEmail: p.string().length(255).nullable(),
    replyTo: p.string().length(255).nullable(),
    /** Names a mail of the service itself (a password reset); such a template is in no list and nobody edits it. */
    systemKey: p.string().length(50).nullable(),
    contentVersion: p.integer().default(1),
    ...resourceColumns(),
  },
});
export class EmailTemplate extends EmailTemplateSchema.class {}
EmailTemplateSchema.setClass(EmailTemplate);

/** What a template said at a `contentVersion`; an email keeps the one it used. Never changed, never deleted. */
const EmailTemplateVersionSchema = defineEntity({
  name: 'EmailTemplateVersion',
  tableName: 'email_template_versions',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    templateId: bigid().primary(),
    contentVersion: p.integer().primary(),
    subject: p.text(),
    content: p.text(),
    /** What MJML in `content` became; null where the content is HTML. */
    compiledHtml: p.text().nullable(),
    text: p.text().nullable(),
    previewText: p.text().nullable(),
    category: p.enum(['marketing', 'transactional'] as const),
    fromName: p.string().length(255).nullable(),
    fromEmail: p.string().length(255).nullable(),
    replyTo: p.string().length(255).nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class EmailTemplateVersion extends EmailTemplateVersionSchema.class {}
EmailTemplateVersionSchema.setClass(EmailTemplateVersion);

/** The send ledger: one row per intended email, written before anything is sent. `sendKey` is what makes it one. */
const EmailSchema = defineEntity({
  name: 'Email',
  tableName: 'emails',
  ...tenantTable,
  uniques: [
    { name: 'emails_send_key', properties: ['tenantId', 'sendKey'] },
    { name: 'emails_tenant_id_id_key', properties: ['tenantId', 'id'] },
  ],
  indexes: [
    { name: 'emails_ready_idx', properties: ['lane', 'tenantId', 'nextAttemptAt', 'id'], where: `status = 'QUEUED' and accepted_at is not null` },
    { name: 'emails_waiting_idx', properties: ['nextAttemptAt'], where: `status = 'QUEUED' and accepted_at is null` },
    // Not on lease_until: a lease is then no write to any index, and few rows are on a connection at a time.
    { name: 'emails_sending_idx', properties: ['id'], where: `status = 'SENDING'` },
    { name: 'emails_contact_idx', properties: ['tenantId', 'contactId'] },
    { name: 'emails_campaign_idx', properties: ['tenantId', 'campaignId', 'id'], where: 'campaign_id is not null' },
    { name: 'emails_execution_idx', properties: ['tenantId', 'executionId'], where: 'execution_id is not null' },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    sendKey: p.text(),
    externalId: p.string().length(100).nullable(),
    templateId: bigid(),
    /** Set when it is rendered. */
    contentVersion: p.integer().nullable(),
    /** How many distinct links it has; set when it is rendered. */
    linkCount: p.smallint().nullable(),
    contactId: bigid().nullable(),
    /** The address it went to, or is to go to for a `to` send. */
    toAddress: p.string().length(320).nullable(),
    campaignId: bigid().nullable(),
    executionId: bigid().nullable(),
    stepId: p.string().length(64).nullable(),
    /** Of a campaign with variants: the one it has; null while the winner is awaited. */
    variant: p.string().length(100).nullable(),
    /** Of a campaign by recipients' local time: not before then. */
    dueAt: timestamp().nullable(),
    data: p.json<Record<string, unknown>>().nullable(),
    lane: p.enum(EMAIL_LANES),
    status: p.enum(EMAIL_STATUSES).default('QUEUED'),
    reason: p.text().nullable(),
    acceptedAt: timestamp().nullable(),
    nextAttemptAt: timestamp().defaultRaw('now()'),
    holder: p.text().nullable(),
    leaseUntil: timestamp().nullable(),
    attempt: p.integer().default(0),
    provider: p.text().nullable(),
    sentAt: timestamp().nullable(),
    requestId: p.text().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
});
export class Email extends EmailSchema.class {}
EmailSchema.setClass(Email);

/** One try at a provider, with its reply. */
const EmailAttemptSchema = defineEntity({
  name: 'EmailAttempt',
  tableName: 'email_attempts',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    emailId: bigid().primary(),
    attempt: p.integer().primary(),
    provider: p.text(),
    outcome: p.text(),
    reply: p.text().nullable(),
    at: timestamp().defaultRaw('now()'),
  },
});
export class EmailAttempt extends EmailAttemptSchema.class {}
EmailAttemptSchema.setClass(EmailAttempt);

/** Opens, clicks, unsubscribes of an email; `automated` ones stay out of every figure. */
const EmailEventSchema = defineEntity({
  name: 'EmailEvent',
  tableName: 'email_events',
  ...tenantTable,
  uniques: [{ name: 'email_events_event_key', properties: ['eventId'] }],
  indexes: [
    { name: 'email_events_email_idx', properties: ['tenantId', 'emailId', 'type'] },
    { name: 'email_events_campaign_idx', properties: ['tenantId', 'campaignId', 'type'], where: 'campaign_id is not null' },
    { name: 'email_events_pending_idx', properties: ['receivedAt'], where: 'automated is null' },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    emailId: bigid(),
    campaignId: bigid().nullable(),
    eventId: p.uuid(),
    type: p.enum(['OPEN', 'CLICK', 'UNSUBSCRIBE'] as const),
    at: timestamp(),
    url: p.text().nullable(),
    ip: p.text().nullable(),
    userAgent: p.text().nullable(),
    /** Null until it is classified, 2 s after it was received; only then is it an event. */
    automated: p.boolean().nullable(),
    first: p.boolean().default(false),
    receivedAt: timestamp().defaultRaw('now()'),
  },
});
export class EmailEvent extends EmailEventSchema.class {}
EmailEventSchema.setClass(EmailEvent);

/** Addresses that get no marketing mail, whoever has them; they outlive contacts. */
export const SUPPRESSION_REASONS = ['unsubscribed', 'bounced', 'complained', 'manual'] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

const SuppressionSchema = defineEntity({
  name: 'Suppression',
  tableName: 'suppressions',
  ...tenantTable,
  uniques: [{ name: 'suppressions_address_key', properties: ['tenantId', 'emailKey'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    emailKey: p.string().length(320),
    reason: p.enum(SUPPRESSION_REASONS),
    source: p.text().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class Suppression extends SuppressionSchema.class {}
SuppressionSchema.setClass(Suppression);

/** What came back of an email, each report once: `eventKey` is the report's Message-ID or the provider's event id. */
export const BOUNCE_KINDS = ['hard', 'soft', 'complaint'] as const;
export type BounceKind = (typeof BOUNCE_KINDS)[number];

const EmailBounceSchema = defineEntity({
  name: 'EmailBounce',
  tableName: 'email_bounces',
  ...tenantTable,
  uniques: [{ name: 'email_bounces_event_key', properties: ['tenantId', 'emailId', 'source', 'eventKey'] }],
  indexes: [{ name: 'email_bounces_address_idx', properties: ['tenantId', 'emailKey', 'at'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    emailId: bigid(),
    emailKey: p.string().length(320),
    kind: p.enum(BOUNCE_KINDS),
    /** `mailbox`, or the provider whose webhook told. */
    source: p.string().length(20),
    eventKey: p.string().length(255),
    /** RFC 3463, as 5.1.1. */
    statusCode: p.string().length(20).nullable(),
    diagnostic: p.text().nullable(),
    at: timestamp().defaultRaw('now()'),
  },
});
export class EmailBounce extends EmailBounceSchema.class {}
EmailBounceSchema.setClass(EmailBounce);

/** How far the mailbox of bounces was read (RFC 9051: a UID means something under its UIDVALIDITY only). */
const BounceMailboxSchema = defineEntity({
  name: 'BounceMailbox',
  tableName: 'bounce_mailboxes',
  ...engineTable,
  properties: {
    /** user@host:port/folder */
    mailbox: p.string().length(400).primary(),
    uidValidity: bigid(),
    lastUid: bigid(),
    updatedAt: timestamp().defaultRaw('now()'),
  },
});
export class BounceMailbox extends BounceMailboxSchema.class {}
BounceMailboxSchema.setClass(BounceMailbox);

/** What mail can be about, for recipients to choose from. */
const EmailTopicSchema = defineEntity({
  name: 'EmailTopic',
  tableName: 'email_topics',
  ...tenantTable,
  uniques: [
    { name: 'email_topics_tenant_id_id_key', properties: ['tenantId', 'id'] },
    { name: 'email_topics_name_key', properties: ['tenantId', 'name'] },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(100),
    description: p.text().nullable(),
    ...resourceColumns(),
  },
});
export class EmailTopic extends EmailTopicSchema.class {}
EmailTopicSchema.setClass(EmailTopic);

/** A topic that an address does not want mail about, whoever has it. */
const TopicOptOutSchema = defineEntity({
  name: 'TopicOptOut',
  tableName: 'topic_opt_outs',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    emailKey: p.string().length(320).primary(),
    topicId: bigid().primary(),
    createdAt: timestamp().defaultRaw('now()'),
  },
});
export class TopicOptOut extends TopicOptOutSchema.class {}
TopicOptOutSchema.setClass(TopicOptOut);

/** That someone was asked to confirm an address, and the proof that it was confirmed. */
const OptInSchema = defineEntity({
  name: 'OptIn',
  tableName: 'opt_ins',
  ...tenantTable,
  indexes: [{ name: 'opt_ins_contact_idx', properties: ['tenantId', 'contactId'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    contactId: bigid(),
    formId: bigid().nullable(),
    listId: bigid().nullable(),
    requestedAt: timestamp().defaultRaw('now()'),
    confirmedAt: timestamp().nullable(),
    ip: p.text().nullable(),
    userAgent: p.text().nullable(),
  },
});
export class OptIn extends OptInSchema.class {}
OptInSchema.setClass(OptIn);

/** An address that mail may come from, and the key that signs it (RFC 6376). */
const EmailSenderSchema = defineEntity({
  name: 'EmailSender',
  tableName: 'email_senders',
  ...tenantTable,
  uniques: [{ name: 'email_senders_email_key', properties: ['tenantId', 'emailKey'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255).nullable(),
    email: p.string().length(255),
    emailKey: p.string().length(320),
    replyTo: p.string().length(255).nullable(),
    dkimDomain: p.string().length(255).nullable(),
    dkimSelector: p.string().length(63).nullable(),
    /** PKCS #8, encrypted by LINK_SECRET. */
    dkimPrivateKey: p.text().nullable(),
    /** As it stands in the DNS record. */
    dkimPublicKey: p.text().nullable(),
    /** When the record was last seen in the DNS as it should be. */
    dkimVerifiedAt: timestamp().nullable(),
    ...resourceColumns(),
  },
});
export class EmailSender extends EmailSenderSchema.class {}
EmailSenderSchema.setClass(EmailSender);

/** How a provider does, as each sender process sees it. */
const EmailProviderSchema = defineEntity({
  name: 'EmailProvider',
  tableName: 'email_providers',
  ...engineTable,
  properties: {
    /** host:port */
    provider: p.string().length(300).primary(),
    holder: p.string().length(100).primary(),
    state: p.string().length(20),
    failures: p.integer().default(0),
    restsUntil: timestamp().nullable(),
    lastError: p.text().nullable(),
    lastErrorAt: timestamp().nullable(),
    lastSentAt: timestamp().nullable(),
    sent: p.bigint('number').default(0),
    seenAt: timestamp().defaultRaw('now()'),
  },
});
export class EmailProvider extends EmailProviderSchema.class {}
EmailProviderSchema.setClass(EmailProvider);

/** How much of a provider's rate is used: the time by which, at an even pace, all that was let through had gone. */
const EmailProviderRateSchema = defineEntity({
  name: 'EmailProviderRate',
  tableName: 'email_provider_rates',
  ...engineTable,
  properties: {
    provider: p.string().length(300).primary(),
    dueAt: p.datetime(6).defaultRaw('now()'),
  },
});
export class EmailProviderRate extends EmailProviderRateSchema.class {}
EmailProviderRateSchema.setClass(EmailProviderRate);

/** Rules for all marketing mail of a tenant. */
const EmailSettingsSchema = defineEntity({
  name: 'EmailSettings',
  tableName: 'email_settings',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    frequencyCap: p.json<{ maxEmails: number; perDays: number }>().nullable(),
    /** No marketing mail outside of it. */
    sendWindow: p.json<{ days?: (string | number)[]; from: string; to: string; timezone: string }>().nullable(),
    ...resourceColumns(),
  },
});
export class EmailSettings extends EmailSettingsSchema.class {}
EmailSettingsSchema.setClass(EmailSettings);

export const emailEntities = [
  EmailTemplate, EmailTemplateVersion, Email, EmailAttempt, EmailEvent, Suppression, EmailBounce, BounceMailbox, EmailTopic, TopicOptOut, OptIn,
  EmailSender, EmailProvider, EmailProviderRate, EmailSettings,
];
