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
    ...resourceColumns(),
  },
});
export class ScoringRule extends ScoringRuleSchema.class {}
ScoringRuleSchema.setClass(ScoringRule);

/** The cached total of a contact or company (`subject`); equals the sum of its history. */
const ScoreTotalSchema = defineEntity({
  name: 'ScoreTotal',
  tableName: 'score_totals',
  ...tenantTable,
  indexes: [{ name: 'score_totals_leaderboard_idx', properties: ['tenantId', 'subject', 'total', 'subjectId'] }],
  properties: {
    tenantId: tenantId().primary(),
    subject: p.enum(['contact', 'company'] as const).primary(),
    subjectId: bigid().primary(),
    total: bigid(),
    updatedAt: timestamp(),
  },
});
export class ScoreTotal extends ScoreTotalSchema.class {}
ScoreTotalSchema.setClass(ScoreTotal);

/** The score of a subject from one rule. */
const ScoreByRuleSchema = defineEntity({
  name: 'ScoreByRule',
  tableName: 'scores_by_rule',
  ...tenantTable,
  properties: {
    tenantId: tenantId().primary(),
    subject: p.enum(['contact', 'company'] as const).primary(),
    subjectId: bigid().primary(),
    ruleId: bigid().primary(),
    score: bigid(),
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
  properties: {
    id: id(),
    tenantId: tenantId(),
    subject: p.enum(['contact', 'company'] as const),
    subjectId: bigid(),
    ruleId: bigid(),
    eventId: p.uuid(),
    eventType: p.string().length(50),
    points: p.integer(),
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

/** The boundaries for tenants without their own. */
export const DEFAULT_LEVELS = { warm: 30, hot: 70 };

export const scoringEntities = [
  ScoringRule,
  ScoreTotal,
  ScoreByRule,
  ScoreHistory,
  ScoreThreshold,
  ScoreThresholdHit,
  ScoringSettings,
];
