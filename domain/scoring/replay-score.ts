import { capped } from './cap.ts';

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
 * an event that the timeline does not have (yet).
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
  const kept = stored.filter(({ eventId }) => !replayable.has(eventId));
  const matching = [...replayable.values()].filter(({ matches }) => matches);
  let used = kept.reduce((sum, row) => sum + row.points, 0);
  const given = matching
    .sort((one, other) => one.at - other.at || (one.eventId < other.eventId ? -1 : 1))
    .flatMap(({ eventId, at }): Awarded[] => {
      const allowed = capped(points, used, cap);
      used += allowed;
      return allowed === 0 ? [] : [{ id: known.get(eventId)?.id ?? null, eventId, at, points: allowed, halfLifeDays }];
    });
  return [...kept, ...given];
}
