import { preparedHint, rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Dimension } from './contacts/dimensions.ts';
import type { Metric } from './metrics.ts';

/** How often something happened in the 5-minute window that starts at `at` (ms). */
export interface Count {
  tenantId: string;
  metric: Metric;
  dimension: Dimension;
  id: number;
  at: number;
  n: number;
}

/** A literal of an array in SQL, of values that need no quotes. Several times faster than an array as a parameter. */
export const arrayOf = (values: readonly (string | number | boolean | null | undefined)[]): string =>
  `{${values.map((value) => value ?? 'null').join()}}`;

const iso = (ms: number): string => new Date(ms).toISOString();

/**
 * Adds to the counts of windows of 5 minutes, an hour and a day (UTC), all at once, so that late events are right in all.
 * Upserts in key order, whoever counts, to avoid deadlocks. Engine transaction `tx`.
 */
export async function addCounts(tx: EntityManager, counts: readonly Count[]): Promise<void> {
  if (counts.length === 0) return;
  await rows(
    tx,
    sql`${preparedHint}
    insert into analytics_windows (tenant_id, dimension, minutes, at, dimension_id, metric, count)
    select c.tenant_id, c.dimension, w.minutes, date_bin(w.length, c.at, 'epoch'), c.dimension_id, c.metric, sum(c.n)::bigint
    from unnest(${counts.map(({ tenantId }) => tenantId)}::text[], ${arrayOf(counts.map(({ dimension }) => dimension || '""'))}::text[],
      ${arrayOf(counts.map(({ at }) => iso(at)))}::timestamptz[], ${arrayOf(counts.map(({ id }) => id))}::bigint[],
      ${arrayOf(counts.map(({ metric }) => metric))}::text[], ${arrayOf(counts.map(({ n }) => n))}::bigint[])
      as c(tenant_id, dimension, at, dimension_id, metric, n)
    cross join (values (5::smallint, '5 minutes'::interval), (60, '1 hour'), (1440, '1 day')) w(minutes, length)
    group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6
    on conflict (tenant_id, dimension, minutes, at, dimension_id, metric)
    do update set count = analytics_windows.count + excluded.count`,
  );
}
