import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../db/orm.ts';
import { ScoringRule } from '../../db/entities/scoring.ts';
import { eventContracts, type EventType } from '../../events/contracts.ts';
import { assertValid, notFound } from '../errors.ts';
import { checkConditions, type RuleCondition } from './match-rule.ts';

export interface RuleInput {
  name: string;
  eventType: string;
  points: number;
  category?: string | null;
  weight?: number;
  conditions?: RuleCondition[];
  maxPerContact?: number | null;
  target?: 'contact' | 'company';
  active?: boolean;
}

function assertConditions(rule: ScoringRule): void {
  const fields = Object.keys(eventContracts[rule.eventType as EventType].properties);
  assertValid(checkConditions((rule.conditions ?? []) as RuleCondition[], fields));
}

export async function createRule(em: EntityManager, tenantId: string, input: RuleInput): Promise<ScoringRule> {
  return em.transactional(async (tx) => {
    const rule = tx.create(ScoringRule, { ...input, category: input.category || null, tenantId });
    assertConditions(rule);
    await tx.flush();
    return rule;
  });
}

/** Changes a rule; what it has awarded stays. `check` sees the rule as it is, under its lock. Throws 404. */
export async function updateRule(em: EntityManager, id: number, input: Partial<RuleInput>, check: (current: ScoringRule) => void): Promise<ScoringRule> {
  return em.transactional(async (tx) => {
    const rule = await tx.findOne(ScoringRule, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!rule) throw notFound('scoring rule', id);
    check(rule);
    tx.assign(rule, { ...input, ...(input.category === '' ? { category: null } : {}) });
    if (input.conditions || input.eventType) assertConditions(rule);
    await tx.flush();
    return rule;
  });
}

/** Deletes a rule and the scores by it; totals and history stay, for they say what happened. Throws 404. */
export async function deleteRule(em: EntityManager, id: number, check: (current: ScoringRule) => void): Promise<void> {
  await em.transactional(async (tx) => {
    const rule = await tx.findOne(ScoringRule, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!rule) throw notFound('scoring rule', id);
    check(rule);
    await tx.remove(rule).flush();
  });
}
