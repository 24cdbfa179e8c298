import { IsolationLevel } from '@mikro-orm/core';
import type { Segment } from '../../../db/entities/contacts.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { assertValid } from '../../../lib/checks/errors.ts';
import { startsOf, type Period } from '../../common/period.ts';
import { buildWindows, type BuildWindow } from './build-windows.ts';

/** An interval: how many members there were at its beginning, and how many came and went in it. */
export interface HistoryPoint {
  at: Date;
  count: number;
  entered: number;
  left: number;
}

/**
 * How many members a segment had over time, by intervals of the period; contacts that were deleted since are among them
 * until then. Always `count + entered - left` of an interval is the `count` of the next. It reads the current members,
 * and those who left since the period began, both from indexes alone. Throws `validation_failed` for a period of which
 * nothing is known.
 */
export async function readHistory(
  em: EntityManager,
  segment: Segment,
  asked: Period,
): Promise<{ period: Period; series: HistoryPoint[] }> {
  const period = knownPart(asked, segment);
  const series = await em.transactional(
    async (tx) => {
      const starts = await startsOf(tx, period);
      const bounds = [period.from.getTime(), ...starts.slice(1), period.to.getTime()];
      const windows = await buildWindows(tx, segment.tenantId, segment.id, period);
      const moves = await movesBetween(tx, segment, countedBounds(bounds, windows));
      let count = moves.before;
      return starts.map((at, n) => {
        const [entered, left] = [moves.entered.get(n + 1) ?? 0, moves.left.get(n + 1) ?? 0];
        const point = { at: new Date(at), count, entered, left };
        count += entered - left;
        return point;
      });
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
  return { period, series };
}

/** The part of a period in which the members of a segment are known; before it was created, it had none. */
function knownPart(period: Period, { historySince }: Segment): Period {
  if (!historySince || historySince <= period.from) return period;
  const message = `must be after ${historySince.toISOString()}, since when the members are known`;
  assertValid(historySince < period.to ? [] : [{ path: '/to', code: 'out_of_range', message }]);
  return { ...period, from: historySince };
}

/**
 * The bounds between moves as they are stored: what moves during a build counts at its end, so a bound within one comes
 * before all of it.
 */
function countedBounds(bounds: readonly number[], windows: readonly BuildWindow[]): Date[] {
  return bounds.map((bound) => {
    const within = windows.find(({ from, to }) => from.getTime() < bound && (to === null || bound <= to.getTime()));
    return within?.from ?? new Date(bound);
  });
}

interface Moves {
  /** Members at the first bound. */
  before: number;
  /** How many came and went between two bounds, by the number of the first of them, from 1. */
  entered: Map<number, number>;
  left: Map<number, number>;
}

/** The moves between bounds, the first of which count from the bound itself on. */
async function movesBetween(tx: EntityManager, { tenantId, id }: Segment, bounds: readonly Date[]): Promise<Moves> {
  const times = sql`${bounds.map((bound) => bound.toISOString())}::timestamptz[]`;
  const found = await rows<{ came: number; went: number | null; n: number }>(
    tx,
    sql`
    select width_bucket(added_at, ${times}) as came, null as went, count(*) as n from segment_members
    where tenant_id = ${tenantId} and segment_id = ${id} group by 1
    union all
    select width_bucket(added_at, ${times}), width_bucket(left_at, ${times}), count(*) from segment_past_members
    where tenant_id = ${tenantId} and segment_id = ${id} and left_at >= ${bounds[0]!}::timestamptz group by 1, 2`,
  );
  const moves: Moves = { before: 0, entered: new Map(), left: new Map() };
  const add = (to: Map<number, number>, bucket: number, n: number) => to.set(bucket, (to.get(bucket) ?? 0) + n);
  for (const { came, went, n } of found) {
    if (came === 0) moves.before += n;
    else add(moves.entered, came, n);
    if (went !== null) add(moves.left, went, n);
  }
  return moves;
}
