import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Dimension } from './contacts/dimensions.ts';
import { ALL_METRICS, type Metric } from './metrics.ts';
import { startsOf, type Period } from '../common/period.ts';
import { rangesOf, windowEndMs, type Range } from './ranges.ts';

export type Figures = Record<Metric, number>;

/** No event of any metric. */
export const NONE = Object.fromEntries(ALL_METRICS.map((metric) => [metric, 0])) as Figures;

/** Ranges as a table `r` (minutes, start, stop) for a `from` clause; a lateral subquery reads each by the index. */
export const rangeTable = (ranges: readonly Range[]) => sql`unnest(${ranges.map(({ minutes }) => minutes)}::smallint[],
  ${ranges.map(({ from }) => new Date(from).toISOString())}::timestamptz[],
  ${ranges.map(({ to }) => new Date(to).toISOString())}::timestamptz[]) as r(minutes, start, stop)`;

/**
 * Every metric of what belongs to a dimension, summed over the period and over each interval of it, including intervals
 * without events. A window belongs to the interval in which it starts, so the sum of the intervals is that of the period.
 */
export async function readCounts(
  tx: EntityManager,
  period: Period,
  of: Dimension = '',
): Promise<{ totals: Figures; series: { at: Date; figures: Figures }[] }> {
  const starts = await startsOf(tx, period);
  const ends = [...starts.slice(1).map(windowEndMs), period.to.getTime()];
  const ranges = rangesOf(ends.map((end, n) => [n === 0 ? period.from.getTime() : ends[n - 1]!, end] as const));
  const found = await rows<{ point: number; metric: Metric; n: number }>(
    tx,
    sql`
    select c.point, c.metric, sum(c.n)::bigint as n
    from ${rangeTable(ranges)} cross join lateral (
      select width_bucket(w.at, ${starts.map((at) => new Date(at).toISOString())}::timestamptz[]) as point, w.metric, sum(w.count) as n
      from analytics_windows w where w.dimension = ${of} and w.minutes = r.minutes and w.at >= r.start and w.at < r.stop
      group by 1, 2) c
    group by 1, 2`,
  );
  const totals = { ...NONE };
  const series = starts.map((at) => ({ at: new Date(at), figures: { ...NONE } }));
  for (const { point, metric, n } of found) {
    totals[metric] += n;
    // 0: before the first start, where a zone left out the beginning of a day.
    series[Math.max(0, point - 1)]!.figures[metric] += n;
  }
  return { totals, series };
}
