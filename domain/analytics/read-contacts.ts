import { rows, sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';
import { contactMetric, dimensionIds, hasContact, type ContactMetric, type Dimension } from './contacts/dimensions.ts';
import { bitOf, chunkOf } from './contacts/sets.ts';
import { DAY_MS, HOUR_MS, type Period } from '../common/period.ts';
import { rangesOf } from './ranges.ts';

/** How many distinct contacts. */
export type Contacts = Record<ContactMetric, number>;

const NOBODY: Contacts = { mailed: 0, opened: 0, clicked: 0, converted: 0 };

/** From where the contacts of a period are read: sets of days, sets of hours, and events for the rest. */
interface Sources {
  /** [minutes, from, to], in ms. */
  sets: [number, number, number][];
  events: [number, number][];
}

/**
 * Sets of days that did not change since they were made, sets of hours for what is left, and the events of those hours
 * that have changed, and of the ends of the period that are less than an hour.
 */
async function sourcesOf(tx: EntityManager, { from, to }: Period): Promise<Sources> {
  const changed = await rows<{ minutes: 60 | 1440; at: Date }>(
    tx,
    sql`
    select minutes, at from analytics_rollups
    where rolled_changes <> changes and at >= date_trunc('day', ${from}::timestamptz, 'UTC') and at < ${to}::timestamptz order by at`,
  );
  const at = { 60: new Set<number>(), 1440: new Set<number>() };
  for (const one of changed) at[one.minutes].add(one.at.getTime());
  const sources: Sources = { sets: [], events: [] };
  const addHours = (start: number, stop: number): void => {
    sources.sets.push([60, start, stop]);
    for (const hour of at[60]) if (hour >= start && hour < stop) addTo(sources.events, hour, hour + HOUR_MS);
  };
  for (const { minutes, from: start, to: stop } of rangesOf([[from.getTime(), to.getTime()]])) {
    if (minutes === 5) addTo(sources.events, start, stop);
    else if (minutes === 60) addHours(start, stop);
    else {
      const days: [number, number][] = [];
      for (let day = start; day < stop; day += DAY_MS) {
        if (at[1440].has(day)) addHours(day, day + DAY_MS);
        else addTo(days, day, day + DAY_MS);
      }
      for (const [first, end] of days) sources.sets.push([1440, first, end]);
    }
  }
  return sources;
}

/** Adds a range to those before it. */
function addTo(ranges: [number, number][], from: number, to: number): void {
  const last = ranges.at(-1);
  if (last?.[1] === from) last[1] = to;
  else ranges.push([from, to]);
}

const times = (moments: readonly number[]) => sql`${moments.map((ms) => new Date(ms).toISOString())}::timestamptz[]`;

/**
 * How many distinct contacts were mailed, opened, clicked and converted in the period, of what belongs to a dimension:
 * by id, for these ids, or of all ids together, as id 0. Exact, whether sets were made or not. Read in the snapshot `tx`.
 */
export async function readContacts(
  tx: EntityManager,
  period: Period,
  of: Dimension = '',
  ids: readonly number[] | null = null,
): Promise<(id: number) => Contacts> {
  const { sets, events } = await sourcesOf(tx, period);
  const idOf = (column: RawBuilder<unknown>) => (ids === null ? sql`0::bigint` : column);
  const wanted = (column: RawBuilder<unknown>) =>
    ids === null ? sql`${column} is not null` : sql`${column} = any(${[...ids]}::bigint[])`;
  const found = await rows<{ id: number; metric: ContactMetric; n: number }>(
    tx,
    sql`
    with united as materialized (
      select ${idOf(sql`s.dimension_id`)} as id, s.metric, s.chunk, bit_or(s.bits) as bits
      from unnest(${sets.map(([minutes]) => minutes)}::smallint[], ${times(sets.map(([, from]) => from))}, ${times(sets.map(([, , to]) => to))}) as r(minutes, start, stop)
      cross join lateral (
        select dimension_id, metric, chunk, bits from analytics_contact_sets
        where dimension = ${of} and minutes = r.minutes and at >= r.start and at < r.stop and ${wanted(sql`dimension_id`)} offset 0) s
      group by 1, 2, 3),
    seen as (
      select ${idOf(sql`e.id`)} as id, e.metric, e.contact_id
      from unnest(${times(events.map(([from]) => from))}, ${times(events.map(([, to]) => to))}) as r(start, stop)
      cross join lateral (
        select ${dimensionIds[of]} as id, ${contactMetric} as metric, e.contact_id from analytics_events e
        where e.at >= r.start and e.at < r.stop and ${hasContact} and ${wanted(dimensionIds[of])} offset 0) e)
    select id, metric, sum(n)::bigint as n from (
      select id, metric, bit_count(bits) as n from united
      union all
      select seen.id, seen.metric, count(distinct seen.contact_id) from seen
      left join united u on u.id = seen.id and u.metric = seen.metric and u.chunk = ${chunkOf(sql`seen.contact_id`)}
      where u.bits is null or get_bit(u.bits, ${bitOf(sql`seen.contact_id`)}) = 0 group by 1, 2) counted
    group by 1, 2`,
  );
  const byId = Map.groupBy(found, (row) => row.id);
  return (id) => ({ ...NOBODY, ...Object.fromEntries((byId.get(id) ?? []).map(({ metric, n }) => [metric, n])) });
}
