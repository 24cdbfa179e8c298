import type { EntityManager } from '../../../db/orm.ts';
import { capped, comesLate, takeBackFromNewer } from './cap.ts';
import { addToPortion, totalOf, type Portion } from './decay.ts';
import { portionOf, type Score } from './score-rows.ts';

/** What a change of a score comes from: an event, or a step of a campaign. */
export interface Cause {
  id: string;
  type: string;
  /** RFC 3339. */
  time: string;
  requestid?: string;
}

/** A change of a score, which becomes a history row. */
export interface Change {
  score: Score;
  /** The contact that the cause is about; a company's score changes through its contacts. */
  contactId: number;
  ruleId: number;
  halfLifeDays: number;
  cause: Cause;
  points: number;
  /** The total that was told before, so that a change by decay since then is told too. */
  previous: number;
  total: number;
}

/** The portions that have changed, by their score. */
export type Changed = Map<Score, Set<Portion>>;

/** What a rule awards: `points` up to `cap` in all, which lose half their worth every `halfLifeDays` (0 = never). */
export interface Award {
  ruleId: number;
  points: number;
  halfLifeDays: number;
  cap: number | null;
}

/**
 * Adds an award to a score, as far as its cap allows, and notes the changed portions. Causes of one batch must come in
 * the order of their times. Returns null if nothing is left of the award.
 */
export async function award(
  tx: EntityManager,
  changed: Changed,
  score: Score,
  contactId: number,
  cause: Cause,
  { ruleId, points: wanted, halfLifeDays, cap }: Award,
  now: number,
): Promise<Change | null> {
  const at = Date.parse(cause.time);
  const ofRule = score.portions.filter((portion) => portion.ruleId === ruleId);
  const awarded = ofRule.reduce((sum, portion) => sum + portion.points, 0);
  let points = capped(wanted, awarded, cap);
  const decays = halfLifeDays > 0 || ofRule.some((portion) => portion.halfLifeDays > 0);
  if (points !== wanted && decays && comesLate(score, ruleId, at))
    points += await takeBackFromNewer(tx, score, ruleId, at, wanted - points);
  if (points === 0) return null;
  addToPortion(portionOf(score, ruleId, halfLifeDays), points, at);
  const touched = changed.get(score) ?? new Set<Portion>();
  changed.set(score, touched);
  for (const portion of score.portions) if (portion.ruleId === ruleId) touched.add(portion);
  const [previous, total] = [score.told, totalOf(score.portions, now)];
  score.told = total;
  return { score, contactId, ruleId, halfLifeDays, cause, points, previous, total };
}
