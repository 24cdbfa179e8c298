import type { ScoreThreshold, ScoringRule, ScoringSettings } from '../../db/entities/scoring.ts';
import type { HistoryRow, readCompanyScore, readContactScore } from '../../domain/scoring/read-scores.ts';
import type { ThresholdAction } from '../../domain/scoring/fire-thresholds.ts';

export function presentRule(rule: ScoringRule) {
  return {
    id: rule.id,
    name: rule.name,
    eventType: rule.eventType,
    points: rule.points,
    category: rule.category ?? null,
    weight: rule.weight,
    conditions: rule.conditions ?? [],
    decay: null,
    maxPerContact: rule.maxPerContact ?? null,
    target: rule.target,
    active: rule.active,
    tenantId: rule.tenantId,
    version: rule.version,
    createdAt: rule.createdAt,
    updatedAt: rule.updatedAt,
  };
}

export function presentThreshold(threshold: ScoreThreshold, triggeredCount: number) {
  return {
    id: threshold.id,
    name: threshold.name,
    score: threshold.score,
    action: threshold.action as ThresholdAction,
    triggered: triggeredCount > 0,
    triggeredCount,
    tenantId: threshold.tenantId,
    version: threshold.version,
    createdAt: threshold.createdAt,
    updatedAt: threshold.updatedAt,
  };
}

const presentHistory = (history: HistoryRow[]) =>
  history.map((row) => ({
    at: row.at,
    eventType: row.event_type,
    ruleId: row.rule_id,
    points: row.points,
    total: row.total,
    eventId: row.event_id,
  }));

export function presentContactScore({
  rules,
  thresholds,
  history,
  ...score
}: Awaited<ReturnType<typeof readContactScore>>) {
  return {
    ...score,
    rules: rules.map((row) => ({ ruleId: row.rule_id, score: row.score })),
    thresholds: thresholds.map((row) => ({ thresholdId: row.id, triggered: row.at !== null, at: row.at })),
    history: presentHistory(history),
  };
}

export function presentCompanyScore({ history, ...score }: Awaited<ReturnType<typeof readCompanyScore>>) {
  return { ...score, history: presentHistory(history) };
}

export const presentSettings = (settings: ScoringSettings) => ({
  warm: settings.warm,
  hot: settings.hot,
  version: settings.version,
});
