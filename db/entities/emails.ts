import { defineEntity, p } from '@mikro-orm/core';
import { bigid, engineTable, id, json, tenantId, tenantTable, timestamp } from './base.ts';

export const EMAIL_STATUSES = [
  'QUEUED',
  'SENDING',
  'SENT',
  'DELIVERED',
  'FAILED',
  'SUPPRESSED',
  'BOUNCED',
  'COMPLAINED',
  'UNKNOWN',
] as const;
export type EmailStatus = (typeof EMAIL_STATUSES)[number];
/** Lanes prevent a password reset or a journey's email from waiting behind a large campaign. */
export const EMAIL_LANES = ['transactional', 'journey', 'bulk'] as const;
export type EmailLane = (typeof EMAIL_LANES)[number];

/** The send ledger: one row per intended email, written before anything is sent. Unique per `sendKey`. */
const EmailSchema = defineEntity({
  name: 'Email',
  tableName: 'emails',
  ...tenantTable,
  uniques: [
    { name: 'emails_send_key', properties: ['tenantId', 'sendKey'] },
    { name: 'emails_tenant_id_id_key', properties: ['tenantId', 'id'] },
  ],
  indexes: [
    // No index on status or lease_until, so that a lease and the start of sending write to no index.
    { name: 'emails_open_idx', properties: ['lane', 'tenantId', 'nextAttemptAt', 'id'], where: `stage = 'open'` },
    { name: 'emails_waiting_idx', properties: ['nextAttemptAt'], where: `stage = 'waiting'` },
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
    /** Set when the email is rendered. */
    contentVersion: p.integer().nullable(),
    /** The number of distinct links; set when the email is rendered. */
    linkCount: p.smallint().nullable(),
    contactId: bigid().nullable(),
    /** The recipient's address, also before sending if the email was requested with `to`. */
    toAddress: p.string().length(320).nullable(),
    campaignId: bigid().nullable(),
    executionId: bigid().nullable(),
    stepId: p.string().length(64).nullable(),
    /** The variant, if the campaign has variants; null until the winner is chosen. */
    variant: p.string().length(100).nullable(),
    /** For campaigns in recipients' local time: not sent before this time. */
    dueAt: timestamp().nullable(),
    data: json<Record<string, unknown>>().nullable(),
    /** 1 to 9; of two emails or messages that a cap allows one of, the higher one is sent. Null: that of its email campaign, else 5. */
    priority: p.smallint().nullable(),
    lane: p.enum(EMAIL_LANES),
    status: p.enum(EMAIL_STATUSES).default('QUEUED'),
    /**
     * batch: belongs to the batches of its campaign, also after its end, so that its start and its end write to no
     * index. For others, waiting: its send request has not been accepted yet; open: senders may lease it, or have leased
     * it; over: ended.
     */
    stage: p
      .text()
      .generated(
        `(case when next_attempt_at is null then 'batch' when status = 'QUEUED' and accepted_at is null then 'waiting' when status in ('QUEUED', 'SENDING') then 'open' else 'over' end) stored`,
      ),
    reason: p.text().nullable(),
    /** When senders were allowed to take it; for an email of a batch set by its start. */
    acceptedAt: timestamp().nullable(),
    /** Null for an email of an email campaign until it is requeued: it is released and leased with its batch. */
    nextAttemptAt: timestamp().nullable().defaultRaw('now()'),
    /** The `nextAttemptAt` that open hours gave it; of any other `nextAttemptAt` it says nothing. */
    heldUntil: timestamp().nullable(),
    /** Whoever leases or sends it. The lease of a QUEUED email of a batch is the batch's. */
    holder: p.text().nullable(),
    leaseUntil: timestamp().nullable(),
    attempt: p.integer().default(0),
    provider: p.text().nullable(),
    sentAt: timestamp().nullable(),
    /** The provider's reply when it accepted the email; other attempts have their own rows. */
    reply: p.text().nullable(),
    requestId: p.text().nullable(),
    /** The id and time of EMAIL_SENT in the contact's timeline; null before, or if it is a row of `contact_activities`. */
    activityId: bigid().nullable(),
    activityAt: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
  },
});
export class Email extends EmailSchema.class {}
EmailSchema.setClass(Email);

/**
 * Emails of an email campaign that were released to the senders together; its lease is that of its QUEUED emails. It is
 * deleted when none of them is QUEUED or SENDING any more, or those that are were requeued singly.
 */
const EmailBatchSchema = defineEntity({
  name: 'EmailBatch',
  tableName: 'email_batches',
  ...tenantTable,
  indexes: [{ name: 'email_batches_campaign_idx', properties: ['tenantId', 'campaignId'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    campaignId: bigid(),
    emailIds: p.array(Number).columnType('bigint[]'),
    releasedAt: timestamp().defaultRaw('now()'),
    /** The last process that leased it; null if none has. */
    holder: p.text().nullable(),
    leaseUntil: timestamp().nullable(),
  },
});
export class EmailBatch extends EmailBatchSchema.class {}
EmailBatchSchema.setClass(EmailBatch);

/** An attempt at a provider that was not accepted immediately, with its reply. Most emails have none. */
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

/** Opens, clicks and unsubscribes of an email; `automated` ones are excluded from all figures. */
const EmailEventSchema = defineEntity({
  name: 'EmailEvent',
  tableName: 'email_events',
  ...tenantTable,
  uniques: [{ name: 'email_events_event_key', properties: ['eventId'] }],
  indexes: [
    { name: 'email_events_email_idx', properties: ['tenantId', 'emailId', 'type'] },
    {
      name: 'email_events_campaign_idx',
      properties: ['tenantId', 'campaignId', 'type'],
      where: 'campaign_id is not null',
    },
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
    /** Null until it is classified, 2 s after it was received; only then does it count as an event. */
    automated: p.boolean().nullable(),
    first: p.boolean().default(false),
    /** An open without a pixel: whoever follows a link has opened the email. */
    inferred: p.boolean().default(false),
    receivedAt: timestamp().defaultRaw('now()'),
  },
});
export class EmailEvent extends EmailEventSchema.class {}
EmailEventSchema.setClass(EmailEvent);

/** The providers whose webhooks are supported. */
export const WEBHOOK_PROVIDERS = ['ses', 'sendgrid', 'mailgun', 'postmark'] as const;
export type WebhookProvider = (typeof WEBHOOK_PROVIDERS)[number];

/**
 * Bounces and complaints about an email, each report once: `eventKey` is the report's Message-ID or the provider's
 * event id.
 */
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
    /** Whose fault it was, by `judgeFailure`, or `complaint`; null in rows from before this was stored. */
    verdict: p.string().length(20).nullable(),
    /** `mailbox`, `smtp` (a reply to an attempt), or the provider that sent the webhook. */
    source: p.string().length(20),
    eventKey: p.string().length(255),
    /** RFC 3463, such as 5.1.1. */
    statusCode: p.string().length(20).nullable(),
    diagnostic: p.text().nullable(),
    at: timestamp().defaultRaw('now()'),
  },
});
export class EmailBounce extends EmailBounceSchema.class {}
EmailBounceSchema.setClass(EmailBounce);

/** How far the bounce mailbox has been read (RFC 9051: UIDs are valid only with their UIDVALIDITY). */
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

export const emailEntities = [Email, EmailBatch, EmailAttempt, EmailEvent, EmailBounce, BounceMailbox];
