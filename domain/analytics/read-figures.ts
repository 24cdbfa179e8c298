import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Metric } from './fold-events.ts';
import type { Period } from './period.ts';

export type Figures = Record<Metric, number>;

const NONE: Figures = {
  contacts_new: 0,
  unsubscribes: 0,
  emails_sent: 0,
  emails_failed: 0,
  opens: 0,
  unique_opens: 0,
  clicks: 0,
  unique_clicks: 0,
  bounces: 0,
  submissions: 0,
  form_views: 0,
  campaign_entries: 0,
  campaign_completions: 0,
  goals_met: 0,
  score_changes: 0,
};

/** What figures cover: everything (''), or only what belongs to a campaign, a template or a form. */
export type Dimension = '' | 'campaign' | 'template' | 'form';

const inPeriod = ({ from, to }: Period) => sql`at >= ${from}::timestamptz and at < ${to}::timestamptz`;

/** The sum of every metric over the period. */
export async function readTotals(tx: EntityManager, period: Period, of: Dimension = ''): Promise<Figures> {
  const found = await rows<{ metric: Metric; n: number }>(
    tx,
    sql`
    select metric, sum(count)::bigint as n from analytics_windows where dimension = ${of} and ${inPeriod(period)} group by metric`,
  );
  return { ...NONE, ...Object.fromEntries(found.map((row) => [row.metric, row.n])) };
}

/**
 * The point `step` after the period's first. Days, weeks and months follow the zone's calendar; hours follow absolute
 * time, on which no hour is missing or repeated when summer time begins or ends.
 */
const pointAfter = ({ from, interval, timezone }: Period) =>
  interval === 'hour'
    ? sql`date_trunc('hour', ${from}::timestamptz, ${timezone}) + step`
    : sql`(date_trunc(${interval}, ${from}::timestamptz at time zone ${timezone}) + step) at time zone ${timezone}`;

/** The same sums for each interval of the period in its time zone, including intervals without events. */
export async function readSeries(
  tx: EntityManager,
  period: Period,
  of: Dimension = '',
): Promise<{ at: Date; figures: Figures }[]> {
  const { to, interval, timezone } = period;
  const found = await rows<{ at: Date; metric: Metric | null; n: number | null }>(
    tx,
    sql`
    with counts as (
      select date_trunc(${interval}, at, ${timezone}) as at, metric, sum(count)::bigint as n from analytics_windows
      where dimension = ${of} and ${inPeriod(period)} group by 1, 2),
    points as (
      select ${pointAfter(period)} as at from (select n * ('1 ' || ${interval})::interval as step from generate_series(0, 5001) n) steps)
    select at, c.metric, c.n from points p full join counts c using (at) where at < ${to}::timestamptz order by at`,
  );
  const series = new Map<number, { at: Date; figures: Figures }>();
  for (const row of found) {
    const point = series.get(row.at.getTime()) ?? { at: row.at, figures: { ...NONE } };
    series.set(row.at.getTime(), point);
    if (row.metric) point.figures[row.metric] = row.n!;
  }
  return [...series.values()];
}

/** Sums per id of a dimension. */
export async function readBreakdown(
  tx: EntityManager,
  period: Period,
  of: Exclude<Dimension, ''>,
): Promise<{ id: number; figures: Figures }[]> {
  const found = await rows<{ dimension_id: number; metric: Metric; n: number }>(
    tx,
    sql`
    select dimension_id, metric, sum(count)::bigint as n from analytics_windows
    where dimension = ${of} and ${inPeriod(period)} group by dimension_id, metric order by dimension_id`,
  );
  return [...Map.groupBy(found, (row) => row.dimension_id)].map(([id, group]) => ({
    id,
    figures: { ...NONE, ...Object.fromEntries(group.map((row) => [row.metric, row.n])) },
  }));
}

/** The number of distinct contacts mailed, and converted, in the period. */
export async function readPeople(tx: EntityManager, period: Period): Promise<{ mailed: number; converted: number }> {
  const found = await rows<{ metric: 'mailed' | 'converted'; n: number }>(
    tx,
    sql`
    select metric, count(distinct contact_id) as n from analytics_contact_windows
    where metric in ('mailed', 'converted') and ${inPeriod(period)} group by metric`,
  );
  return { mailed: 0, converted: 0, ...Object.fromEntries(found.map((row) => [row.metric, row.n])) };
}

/** When the oldest event that is still in the outbox happened; null if the outbox is empty. */
export async function oldestWaitingEvent(em: EntityManager): Promise<Date | null> {
  const [waiting] = await em.transactional((tx) =>
    rows<{ at: Date | null }>(tx, sql`select min(occurred_at) as at from outbox_events`),
  );
  return waiting?.at ?? null;
}

/**
 * A fraction 0..1, rounded to four decimals; 0 if `whole` is 0. A part larger than the whole gives 1: a program may
 * submit a form that nobody viewed, and an email may be opened in a later period than it was sent in.
 */
export const rate = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.min(1, Math.round((part / whole) * 10_000) / 10_000);
