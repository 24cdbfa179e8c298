import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

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
    { name: 'email_events_pending_idx', properties: ['receivedAt'], where: 'automated is null' },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    emailId: bigid(),
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

export const emailEntities = [EmailTemplate, EmailTemplateVersion, Email, EmailAttempt, EmailEvent, Suppression];
