import type { FilterEvent } from '../../../events/contracts.ts';
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '../../../db/orm.ts';
import { ScoringRule } from '../../../db/entities/scoring.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { checkWhere } from '../../membership/filter/check-filter.ts';
import type { FieldLeaf } from '../../membership/filter/filter.ts';

/** A condition of a scoring rule on a field of the event, like a leaf in the `where` of a segment's event leaf. */
export type RuleCondition = FieldLeaf;

export interface RuleInput {
  name: string;
  eventType: string;
  points: number;
  category?: string | null;
  weight?: number;
  conditions?: RuleCondition[];
  maxPerContact?: number | null;
  decay?: { halfLifeDays: number } | null;
  target?: 'contact' | 'company';
  active?: boolean;
}

/** The maximum points of one rule for one event, which keeps totals far below 2^53. */
const MAX_AWARD = 1_000_000;

/** The violations of a rule as a whole, for the given parts; conditions may be any JSON. */
export function ruleViolations({
  eventType,
  conditions,
  points = 0,
  weight = 1,
}: {
  eventType?: string;
  conditions?: unknown;
  points?: number;
  weight?: number;
}): Violation[] {
  const violations =
    eventType === undefined ? [] : checkWhere(conditions ?? [], eventType as FilterEvent, '/conditions');
  if (Math.abs(points * weight) > MAX_AWARD) {
    violations.push({ path: '/weight', code: 'out_of_range', message: `points × weight must be within ±${MAX_AWARD}` });
  }
  return violations;
}

/** The parts of a rule that `ruleViolations` checks. */
export const checkedParts = ({ eventType, conditions, points, weight }: ScoringRule) => ({
  eventType,
  conditions,
  points,
  weight: Number(weight ?? 1),
});

/** What the audit log has of a rule: all that decides its points. */
const contentOf = (rule: ScoringRule) => ({
  name: rule.name,
  eventType: rule.eventType,
  points: rule.points,
  category: rule.category ?? null,
  weight: Number(rule.weight ?? 1),
  conditions: rule.conditions ?? [],
  decay: rule.decay ?? null,
  maxPerContact: rule.maxPerContact ?? null,
  target: rule.target,
  active: rule.active,
});
const resourceOf = (id: number) => ({ resourceType: 'scoring_rule', resourceId: id });

export async function createRule(em: EntityManager, author: Author, input: RuleInput): Promise<ScoringRule> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    const rule = tx.create(ScoringRule, { ...input, category: input.category || null, tenantId });
    assertValid(ruleViolations(checkedParts(rule)));
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'scoring_rule.created',
      ...resourceOf(rule.id),
      after: contentOf(rule),
    });
    return rule;
  });
}

/** The rule with this id, unless it is deleted. Throws 404. */
export async function findRule(em: EntityManager, id: number): Promise<ScoringRule> {
  const rule = await em.findOne(ScoringRule, { id, deletedAt: null });
  if (!rule) throw notFound('scoring rule', id);
  return rule;
}

async function lockRule(tx: EntityManager, id: number): Promise<ScoringRule> {
  const rule = await tx.findOne(ScoringRule, { id, deletedAt: null }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!rule) throw notFound('scoring rule', id);
  return rule;
}

/**
 * Changes a rule; points already awarded remain, and lose worth as the rule said when they were awarded. `check` gets
 * the current rule, locked. Throws 404.
 */
export async function updateRule(
  em: EntityManager,
  author: Author,
  id: number,
  input: Partial<Omit<RuleInput, 'eventType' | 'target'>>,
  check: (current: ScoringRule) => void,
): Promise<ScoringRule> {
  return em.transactional(async (tx) => {
    const rule = await lockRule(tx, id);
    check(rule);
    const before = contentOf(rule);
    tx.assign(rule, { ...input, ...(input.category === '' ? { category: null } : {}) });
    assertValid(ruleViolations(checkedParts(rule)));
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'scoring_rule.updated',
      ...resourceOf(id),
      before,
      after: contentOf(rule),
    });
    return rule;
  });
}

/** Deletes a rule; the points that it has awarded remain, because they record what happened. Throws 404. */
export async function deleteRule(
  em: EntityManager,
  author: Author,
  id: number,
  check: (current: ScoringRule) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const rule = await lockRule(tx, id);
    check(rule);
    const before = contentOf(rule);
    tx.assign(rule, { deletedAt: new Date(), active: false });
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'scoring_rule.deleted',
      ...resourceOf(id),
      before,
    });
  });
}
