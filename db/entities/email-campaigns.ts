import { defineEntity, p } from '@mikro-orm/core';
import { bigid, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

export const EMAIL_CAMPAIGN_STATUSES = [
  'DRAFT',
  'SCHEDULED',
  'SENDING',
  'PAUSED',
  'SENT',
  'CANCELLED',
  'FAILED',
] as const;
export type EmailCampaignStatus = (typeof EMAIL_CAMPAIGN_STATUSES)[number];
export const SCHEDULE_TYPES = ['immediate', 'scheduled', 'recurring', 'recipient_local_time'] as const;
export type ScheduleType = (typeof SCHEDULE_TYPES)[number];
export const WINNER_METRICS = ['opens', 'clicks', 'openRate', 'clickRate'] as const;

export interface Variant {
  name: string;
  templateId: number;
  weight: number;
}

export interface Winner {
  metric: (typeof WINNER_METRICS)[number];
  afterMinutes: number;
  /** Percentage of the audience. */
  testPercent: number;
}

/** A mailing to a segment. Its emails are the ledger rows with its id, in the lane `bulk`. */
const EmailCampaignSchema = defineEntity({
  name: 'EmailCampaign',
  tableName: 'email_campaigns',
  ...tenantTable,
  uniques: [{ name: 'email_campaigns_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    // Shares the sequence of `campaigns`, so that a campaignId in an email or an event is unambiguous.
    id: p
      .bigint('number')
      .primary()
      .autoincrement(false)
      .defaultRaw(`nextval('campaigns_id_seq'::regclass)`)
      .ignoreSchemaChanges('default'),
    tenantId: tenantId(),
    name: p.string().length(255),
    /** Null if there are variants. */
    templateId: bigid().nullable(),
    segmentId: bigid().nullable(),
    scheduleType: p.enum(SCHEDULE_TYPES).nullable(),
    scheduledAt: timestamp().nullable(),
    cron: p.string().length(200).nullable(),
    timezone: p.string().length(64).nullable(),
    ratePerMinute: p.integer().nullable(),
    /** 1 to 9: which emails and messages get the slots of a cap. */
    priority: p.smallint().default(5),
    variants: json<Variant[]>().nullable(),
    winner: json<Winner>().nullable(),
    /** The name of the winning variant. */
    winnerVariant: p.string().length(100).nullable(),
    /** When the winner is chosen; null until the test has been sent. */
    winnerAt: timestamp().nullable(),
    status: p.enum(EMAIL_CAMPAIGN_STATUSES).default('DRAFT'),
    /** The reason of FAILED. */
    error: p.text().nullable(),
    /** Why the service paused it; null if a user did. */
    pauseReason: p.text().nullable(),
    /** The number of mailings of a recurring campaign; other campaigns have one. */
    run: p.integer().default(0),
    /** The mailing that may have been sent before Postgres was put back to an older copy; null if none. */
    restoredRun: p.integer().nullable(),
    /** The time of a recurring campaign's next mailing. */
    nextRunAt: timestamp().nullable(),
    /** While the audience is being frozen: contacts up to this id are in the ledger. Null when all are. */
    frozenTo: bigid().nullable(),
    /** Emails up to this id have been requested. */
    requestedTo: bigid().default(0),
    /** The token bucket of `ratePerMinute`: the tokens left at `tokensAt`. */
    tokens: p.double().default(0),
    tokensAt: timestamp().nullable(),
    startedAt: timestamp().nullable(),
    finishedAt: timestamp().nullable(),
    ...resourceColumns(),
  },
});
export class EmailCampaign extends EmailCampaignSchema.class {}
EmailCampaignSchema.setClass(EmailCampaign);

export const emailCampaignEntities = [EmailCampaign];
