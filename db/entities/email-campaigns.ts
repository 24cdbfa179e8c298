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
  /** Of the audience, in percent. */
  testPercent: number;
}

/** One mailing to a segment. Its emails are the rows of the ledger with its id in the lane `bulk`. */
const EmailCampaignSchema = defineEntity({
  name: 'EmailCampaign',
  tableName: 'email_campaigns',
  ...tenantTable,
  uniques: [{ name: 'email_campaigns_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    // One sequence for both kinds of campaign: a campaignId in an email or an event means one of them.
    id: p
      .bigint('number')
      .primary()
      .autoincrement(false)
      .defaultRaw(`nextval('campaigns_id_seq'::regclass)`)
      .ignoreSchemaChanges('default'),
    tenantId: tenantId(),
    name: p.string().length(255),
    /** Null where there are variants. */
    templateId: bigid().nullable(),
    segmentId: bigid().nullable(),
    scheduleType: p.enum(SCHEDULE_TYPES).nullable(),
    scheduledAt: timestamp().nullable(),
    cron: p.string().length(200).nullable(),
    timezone: p.string().length(64).nullable(),
    ratePerMinute: p.integer().nullable(),
    variants: json<Variant[]>().nullable(),
    winner: json<Winner>().nullable(),
    /** The name of the variant that won. */
    winnerVariant: p.string().length(100).nullable(),
    /** When the winner is chosen; null until the test has gone out. */
    winnerAt: timestamp().nullable(),
    status: p.enum(EMAIL_CAMPAIGN_STATUSES).default('DRAFT'),
    /** Why it FAILED. */
    error: p.text().nullable(),
    /** Counts the mailings of a recurring one; the others have one. */
    run: p.integer().default(0),
    /** When the next mailing of a recurring one is. */
    nextRunAt: timestamp().nullable(),
    /** While the audience is frozen: contacts up to this id are in the ledger. Null when all are. */
    frozenTo: bigid().nullable(),
    /** Emails up to this id were requested. */
    requestedTo: bigid().default(0),
    /** Token bucket of `ratePerMinute`: what was left at that time. */
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
