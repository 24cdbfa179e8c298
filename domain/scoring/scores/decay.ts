/**
 * How points lose worth: points p of an event at time t are worth p × 2^(-(now - t) / halfLife) at `now` (exponential
 * decay). The score of a rule is the worth of all its points, rounded half up to an integer; the total is the sum of
 * the scores of the rules, so the scores of the rules always add up to it.
 */

/** The points of one rule and one half-life; a half-life of 0 days stands for points that keep their worth. */
export interface Portion {
  ruleId: number;
  halfLifeDays: number;
  /** The points as they were awarded. */
  points: number;
  /** What the points are worth at `at`, the time of the newest of their events, in ms since 1970. */
  worth: number;
  at: number;
  /** The number of events that awarded them. */
  events: number;
}

const DAY_MS = 86_400_000;
/** What is less than a half by no more than this is taken as the half. */
const NEAR = 1e-6;
/** After a time that was computed, a score has changed surely by this much later, whatever the rounding of floats. */
const LATER_MS = 1;
/** The least time between two changes of a score that are computed ahead. */
const SOON_MS = 1_000;

/** The part of their worth that points keep over `ms`; those of a future event are worth all. */
function keptOver(ms: number, halfLifeDays: number): number {
  return halfLifeDays === 0 || ms <= 0 ? 1 : 2 ** (-ms / DAY_MS / halfLifeDays);
}

/** What points of an event at `at` are worth at `now`, both in ms since 1970. */
export const worthOf = (points: number, halfLifeDays: number, at: number, now: number): number =>
  points * keptOver(now - at, halfLifeDays);

const worthAt = (portion: Portion, now: number): number =>
  worthOf(portion.worth, portion.halfLifeDays, portion.at, now);

/** Adds other points with the same half-life, whose newest event may be older or newer. */
export function mergeIntoPortion(
  portion: Portion,
  { points, worth, at, events }: Omit<Portion, 'ruleId' | 'halfLifeDays'>,
): void {
  const newest = Math.max(portion.at, at);
  portion.worth = worthAt(portion, newest) + worthOf(worth, portion.halfLifeDays, at, newest);
  portion.at = newest;
  portion.points += points;
  portion.events += events;
}

/** Adds points of an event at `at` (ms since 1970), which may be older or newer than the others; may be negative. */
export const addToPortion = (portion: Portion, points: number, at: number, events = 1): void =>
  mergeIntoPortion(portion, { points, worth: points, at, events });

/**
 * Rounds half up. Sums of floats depend on their order in the last digits, so what is less than a half by a
 * millionth is taken as the half: the order of events makes no difference.
 */
export function roundScore(worth: number): number {
  const rounded = Math.floor(worth + 0.5 + NEAR);
  return rounded === 0 ? 0 : rounded;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** The score of one rule at `now` (ms since 1970) from its portions. */
export const scoreOf = (portions: readonly Portion[], now: number): number =>
  roundScore(sum(portions.map((portion) => worthAt(portion, now))));

const byRule = (portions: readonly Portion[]): Map<number, Portion[]> => Map.groupBy(portions, ({ ruleId }) => ruleId);

/** The total at `now` (ms since 1970): the sum of the scores of the rules. */
export function totalOf(portions: readonly Portion[], now: number): number {
  let total = 0;
  for (const some of byRule(portions).values()) total += scoreOf(some, now);
  return total;
}

/**
 * When the score of a rule next changes by decay alone, in ms since 1970: at that time or later, but for changes less
 * than a second ahead; null if none ever does.
 */
export function changesAt(portions: readonly Portion[], now: number): number | null {
  const times = [...byRule(portions).values()].map((some) => ruleChangesAt(some, now));
  const first = Math.min(...times);
  return Number.isFinite(first) ? Math.max(Math.ceil(first) + LATER_MS, now + SOON_MS) : null;
}

/** Portions move towards 0, each for itself: as long as none has moved by its share of the way, the sum has not. */
function ruleChangesAt(portions: readonly Portion[], now: number): number {
  const moving = portions.filter(({ halfLifeDays, worth }) => halfLifeDays > 0 && worth !== 0);
  if (moving.length === 0) return Infinity;
  const worth = sum(portions.map((portion) => worthAt(portion, now)));
  const score = roundScore(worth);
  return Math.min(
    ...moving.map((portion) => {
      const mine = worthAt(portion, now);
      const way = mine > 0 ? worth - (score - 0.5 - NEAR) : score + 0.5 - NEAR - worth;
      const left = Math.abs(mine) - Math.max(0, way) / moving.length;
      return left <= 0 ? Infinity : now + portion.halfLifeDays * DAY_MS * Math.log2(Math.abs(mine) / left);
    }),
  );
}
