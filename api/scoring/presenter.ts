import type { ScoringRule, ScoringSettings } from '../../db/entities/scoring.ts';
import type { readContactScore } from '../../domain/scoring/scores/read-scores.ts';
import type { ReplayView } from '../../domain/scoring/replay/replay.ts';
import type { ThresholdAction } from '../../domain/scoring/thresholds/threshold-action.ts';
import type { CountedThreshold } from '../../domain/scoring/thresholds/thresholds.ts';

export function presentRule(rule: ScoringRule) {
  return {
    id: rule.id,
    name: rule.name,
    eventType: rule.eventType,
    points: rule.points,
    category: rule.category ?? null,
    weight: rule.weight,
    conditions: rule.conditions ?? [],
    decay: rule.decay ?? null,
    maxPerContact: rule.maxPerContact ?? null,
    target: rule.target,
    active: rule.active,
    tenantId: rule.tenantId,
    version: rule.version,
    createdAt: rule.createdAt,
    updatedAt: rule.updatedAt,
  };
}

export function presentThreshold({ threshold, triggeredCount }: CountedThreshold) {
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

export const presentContactScore = ({ thresholds, ...score }: Awaited<ReturnType<typeof readContactScore>>) => ({
  ...score,
  thresholds: thresholds.map((row) => ({ thresholdId: row.id, triggered: row.at !== null, at: row.at })),
});

export function presentReplay({ figures, target, ...replay }: ReplayView) {
  const { examined, changed, before, after, changes, thresholds } = figures;
  return {
    id: replay.id,
    ruleId: replay.ruleId,
    dryRun: replay.dryRun,
    from: replay.fromAt,
    until: replay.untilAt,
    status: replay.status,
    ...{ examined, changed, totals: { before, after } },
    changes: changes.map(({ id, ...change }) => ({
      ...(target === 'contact' ? { contactId: id } : { companyId: id }),
      ...change,
    })),
    thresholds,
    createdAt: replay.createdAt,
    finishedAt: replay.finishedAt ?? null,
  };
}

export const presentSettings = (settings: ScoringSettings) => ({
  warm: settings.warm,
  hot: settings.hot,
  version: settings.version,
});
