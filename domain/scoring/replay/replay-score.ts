import { capped } from '../scores/cap.ts';

/** A row of a rule's history for one subject; `id` null = not stored yet. */
export interface Awarded {
  id: number | null;
  eventId: string;
  /** ms since 1970. */
  at: number;
  points: number;
  halfLifeDays: number;
}

/** An event of the rule's type in the timeline, and whether the rule matches it. */
export interface PastEvent {
  eventId: string;
  at: number;
  matches: boolean;
}

/** The rule as it is now, and the time span of the replay in ms since 1970: `from` included, `until` not. */
export interface Replayed {
  points: number;
  halfLifeDays: number;
  cap: number | null;
  from: number;
  until: number;
}

/**
 * The history of a rule for one subject as it is after a replay: events of the time span get what the rule gives now,
 * the earliest first, as far as its cap allows. What lies outside the time span stays, and so does what was awarded for
 * an event that the timeline does not have (yet); but if points lose worth, newer ones of it give way, as for any event
 * that comes late.
 */
export function replayScore(
  stored: readonly Awarded[],
  events: readonly PastEvent[],
  { points, halfLifeDays, cap, from, until }: Replayed,
): Awarded[] {
  const known = new Map(stored.map((row) => [row.eventId, row]));
  const replayable = new Map(
    events.filter(({ at }) => at >= from && at < until).map((event) => [event.eventId, event]),
  );
  const kept = stored.filter(({ eventId }) => !replayable.has(eventId)).sort(byTime);
  const matching = [...replayable.values()].filter(({ matches }) => matches);
  const decays = halfLifeDays > 0 || kept.some((row) => row.halfLifeDays > 0);
  let used = kept.reduce((sum, row) => sum + row.points, 0);
  const given: Awarded[] = [];
  for (const { eventId, at } of matching.sort(byTime)) {
    const allowed = capped(points, used, cap);
    // What stays may be more than a cap that was lowered: then it is full, whatever gives way.
    const isOver = cap !== null && used * Math.sign(points) > cap;
    const taken = decays && !isOver ? takeFromNewer(kept, at, points - allowed) : 0;
    used += allowed;
    if (allowed + taken === 0) continue;
    const row = known.get(eventId);
    given.push({ id: row?.id ?? null, eventId, at: row?.at ?? at, points: allowed + taken, halfLifeDays });
  }
  return [...kept.filter((row) => row.points !== 0), ...given];
}

const byTime = (one: { at: number; eventId: string }, other: { at: number; eventId: string }): number =>
  one.at - other.at || (one.eventId < other.eventId ? -1 : 1);

/** Takes up to `wanted` points from rows newer than `at`, the newest first. Returns how many, with the sign of `wanted`. */
function takeFromNewer(rows: Awarded[], at: number, wanted: number): number {
  let taken = 0;
  for (let n = rows.length - 1; n >= 0 && taken !== wanted; n -= 1) {
    const row = rows[n]!;
    if (row.at <= at) break;
    if (Math.sign(row.points) !== Math.sign(wanted)) continue;
    const part = Math.sign(wanted) * Math.min(Math.abs(row.points), Math.abs(wanted - taken));
    taken += part;
    rows[n] = { ...row, points: row.points - part };
  }
  return taken;
}
