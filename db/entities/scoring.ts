import { defineEntity, p } from '@mikro-orm/core';
import { bigid, id, json, resourceColumns, tenantId, tenantTable, timestamp } from './base.ts';

const ScoringRuleSchema = defineEntity({
  name: 'ScoringRule',
  tableName: 'scoring_rules',
  ...tenantTable,
  uniques: [{ name: 'scoring_rules_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    eventType: p.string().length(50),
    points: p.integer(),
    category: p.string().length(100).nullable(),
    weight: p.double().default(1),
    conditions: json<{ field: string; operator: string; value?: unknown }[]>().defaultRaw(`'[]'`),
    decay: json<{ halfLifeDays: number }>().nullable(),
    maxPerContact: p.integer().nullable(),
    target: p.enum(['contact', 'company'] as const).default('contact'),
    active: p.boolean().default(true),
    /** A deleted rule stays for the scores that it gave. */
    deletedAt: timestamp().nullable(),
    /** The history may already have events up to here that are delivered later: a replay awarded them. */
    replayedUntil: timestamp().nullable(),
    ...resourceColumns(),
  },
});
export class ScoringRule extends ScoringRuleSchema.class {}
ScoringRuleSchema.setClass(ScoringRule);

/**
 * The total of a contact or company (`subject`): the sum of its scores by rule. It is right until `changesAt`, when
 * points lose worth; null = never.
 */
const ScoreTotalSchema = defineEntity({
  name: 'ScoreTotal',
  tableName: 'score_totals',
  ...tenantTable,
  indexes: [
    {
      name: 'score_totals_leaderboard_idx',
      columns: [{ name: 'tenant_id' }, { name: 'subject' }, { name: 'total', sort: 'desc' }, { name: 'subject_id' }],
      properties: ['tenantId', 'subject', 'total', 'subjectId'],
    },
    { name: 'score_totals_changes_at_idx', properties: ['changesAt'], where: 'changes_at is not null' },
  ],
  properties: {
    tenantId: tenantId().primary(),
    subject: p.enum(['contact', 'company'] as const).primary(),
    subjectId: bigid().primary(),
    total: bigid(),
    changesAt: timestamp().nullable(),
    updatedAt: timestamp(),
  },
});
export class ScoreTotal extends ScoreTotalSchema.class {}
ScoreTotalSchema.setClass(ScoreTotal);

/**
 * The points of a subject from one rule (0 = from campaigns) that lose half their worth in `halfLifeDays` (0 = never):
 * `score` points as awarded, and their `worth` at `worthAt`, the time of the newest event.
 */
const ScoreByRuleSchema = defineEntity({
  name: 'ScoreByRule',
  tableName: 'scores_by_rule',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    subject: p.enum(['contact', 'company'] as const).primary(),
    subjectId: bigid().primary(),
    ruleId: bigid().primary(),
    halfLifeDays: p.double().primary().default(0),
    score: bigid(),
    worth: p.double().default(0),
    worthAt: timestamp().defaultRaw('now()'),
    events: p.integer(),
  },
});
export class ScoreByRule extends ScoreByRuleSchema.class {}
ScoreByRuleSchema.setClass(ScoreByRule);

/** Every change of a score. One row per subject, rule and event, so that a redelivered event does not count twice. */
const ScoreHistorySchema = defineEntity({
  name: 'ScoreHistory',
  tableName: 'score_history',
  ...tenantTable,
  uniques: [{ name: 'score_history_event_key', properties: ['tenantId', 'subject', 'subjectId', 'ruleId', 'eventId'] }],
  // For the company that has the points of an event: its contact may belong to another one now.
  indexes: [
    {
      name: 'score_history_company_event_idx',
      properties: ['tenantId', 'ruleId', 'eventId'],
      where: `subject = 'company'`,
    },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    subject: p.enum(['contact', 'company'] as const),
    subjectId: bigid(),
    ruleId: bigid(),
    eventId: p.uuid(),
    eventType: p.string().length(50),
    points: p.integer(),
    halfLifeDays: p.double().default(0),
    total: bigid(),
    at: timestamp(),
  },
});
export class ScoreHistory extends ScoreHistorySchema.class {}
ScoreHistorySchema.setClass(ScoreHistory);

const ScoreThresholdSchema = defineEntity({
  name: 'ScoreThreshold',
  tableName: 'score_thresholds',
  ...tenantTable,
  uniques: [{ name: 'score_thresholds_tenant_id_id_key', properties: ['tenantId', 'id'] }],
  properties: {
    id: id(),
    tenantId: tenantId(),
    name: p.string().length(255),
    score: p.integer(),
    action: json<{ type: string; campaignId?: number; listId?: number; to?: string; url?: string }>(),
    ...resourceColumns(),
  },
});
export class ScoreThreshold extends ScoreThresholdSchema.class {}
ScoreThresholdSchema.setClass(ScoreThreshold);

/** A threshold that a contact has reached. Each fires only once per contact. */
const ScoreThresholdHitSchema = defineEntity({
  name: 'ScoreThresholdHit',
  tableName: 'score_threshold_hits',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    thresholdId: bigid().primary(),
    contactId: bigid().primary(),
    eventId: p.uuid(),
    at: timestamp(),
  },
});
export class ScoreThresholdHit extends ScoreThresholdHitSchema.class {}
ScoreThresholdHitSchema.setClass(ScoreThresholdHit);

const ThresholdCallSchema = defineEntity({
  name: 'ThresholdCall',
  tableName: 'threshold_calls',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    thresholdId: bigid().primary(),
    contactId: bigid().primary(),
    url: p.text(),
    /** Name and score of the threshold, and the contact's total, when it fired. */
    name: p.string().length(255),
    score: p.integer(),
    total: bigid(),
    at: timestamp(),
  },
});
/** The call of a threshold's webhook for a contact, until it has ended. */
export class ThresholdCall extends ThresholdCallSchema.class {}
ThresholdCallSchema.setClass(ThresholdCall);

const ScoringSettingsSchema = defineEntity({
  name: 'ScoringSettings',
  tableName: 'scoring_settings',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    warm: p.integer().default(30),
    hot: p.integer().default(70),
    version: p.integer().version().default(1),
  },
});
export class ScoringSettings extends ScoringSettingsSchema.class {}
ScoringSettingsSchema.setClass(ScoringSettings);

const RecentVisitSchema = defineEntity({
  name: 'RecentVisit',
  tableName: 'recent_visits',
  ...tenantTable,
  indexes: [{ name: 'recent_visits_at_idx', properties: ['at'] }],
  properties: {
    tenantId: tenantId().primary(),
    contactId: bigid().primary(),
    /** SHA-256 of its URL (base64url). */
    page: p.string().length(43).primary(),
    at: timestamp(),
  },
});
/** When a contact last visited a page, for a minute: so that a repeated visit does not count. */
export class RecentVisit extends RecentVisitSchema.class {}
RecentVisitSchema.setClass(RecentVisit);

const VisitCountSchema = defineEntity({
  name: 'VisitCount',
  tableName: 'visit_counts',
  ...tenantTable,
  indexes: [{ name: 'visit_counts_since_idx', properties: ['since'] }],
  properties: {
    tenantId: tenantId().primary(),
    contactId: bigid().primary(),
    since: timestamp(),
    visits: p.integer(),
  },
});
/** The visits of a contact that counted in the minute since the first of them. */
export class VisitCount extends VisitCountSchema.class {}
VisitCountSchema.setClass(VisitCount);

/** The boundaries for tenants without their own. */
export const DEFAULT_LEVELS = { warm: 30, hot: 70 };

export const REPLAY_STATUSES = ['RUNNING', 'COMPLETED', 'CANCELLED'] as const;

/** A replay of a rule over earlier events, page by page. */
const ScoringReplaySchema = defineEntity({
  name: 'ScoringReplay',
  tableName: 'scoring_replays',
  ...tenantTable,
  uniques: [
    { name: 'scoring_replays_tenant_id_id_key', properties: ['tenantId', 'id'] },
    // One at a time.
    {
      name: 'scoring_replays_running_key',
      properties: ['tenantId', 'ruleId'],
      where: `status = 'RUNNING' and not dry_run`,
    },
  ],
  properties: {
    id: id(),
    tenantId: tenantId(),
    ruleId: bigid(),
    /** It ends when the rule has another version. */
    ruleVersion: p.integer(),
    dryRun: p.boolean(),
    /** The events that it covers: `fromAt` included, `untilAt` not. */
    fromAt: timestamp(),
    untilAt: timestamp(),
    status: p.enum(REPLAY_STATUSES).default('RUNNING'),
    /** The last processed contact or company (keyset). */
    cursor: bigid().default(0),
    figures: json<ReplayFigures>(),
    workflowId: p.text(),
    createdAt: timestamp().defaultRaw('now()'),
    finishedAt: timestamp().nullable(),
  },
});
export class ScoringReplay extends ScoringReplaySchema.class {}
ScoringReplaySchema.setClass(ScoringReplay);

/** What a replay has done so far, or would do. */
export interface ReplayFigures {
  /** How many contacts or companies it has looked at, and how many totals change. */
  examined: number;
  changed: number;
  /** The sums of the changing totals. */
  before: number;
  after: number;
  /** The first 1000. */
  changes: { id: number; before: number; after: number }[];
  thresholds: {
    thresholdId: number;
    name: string;
    score: number;
    /** Contacts for whom it fires, and those who reach it again but for whom it has fired before. */
    fires: number;
    firedBefore: number;
  }[];
}

export const scoringEntities = [
  ScoringRule,
  ScoreTotal,
  ScoreByRule,
  ScoreHistory,
  ScoreThreshold,
  ScoreThresholdHit,
  ThresholdCall,
  ScoringSettings,
  ScoringReplay,
  RecentVisit,
  VisitCount,
];
