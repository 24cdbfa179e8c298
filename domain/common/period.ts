import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { assertValid, type Violation } from '../../lib/checks/errors.ts';
import { parseDate } from '../../lib/time/instants.ts';
import { atWallClock, canonicalZone, isTimezone } from '../../lib/time/local-time.ts';

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

export interface PeriodQuery {
  from?: string;
  to?: string;
  interval?: Interval;
  timezone?: string;
}

export interface Period {
  from: Date;
  to: Date;
  interval: Interval;
  timezone: string;
}

/** The length of the shortest windows in which figures are stored. */
export const WINDOW_MS = 5 * 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;
const MAX_POINTS = 5000;
const EARLIEST = new Date('1970-01-01T00:00:00Z');
const LATEST = new Date('9999-01-01T00:00:00Z');
const hours: Record<Interval, number> = { hour: 1, day: 24, week: 168, month: 720 };

/** The start of the window in which a moment lies. */
export const windowOf = (moment: Date, length = WINDOW_MS): Date =>
  new Date(Math.floor(moment.getTime() / length) * length);
/** The end of the window in which a moment lies; a moment between two windows ends the first. */
export const windowEnd = (moment: Date, length = WINDOW_MS): Date =>
  new Date(Math.ceil(moment.getTime() / length) * length);

/** A date-time, or the beginning of a date in the timezone. */
function momentOf(text: string, timezone: string): Date {
  const day = parseDate(text);
  return day ? atWallClock(day.getTime(), timezone) : new Date(text);
}

/**
 * The period of a query: `from` inclusive, `to` exclusive; by default the last 30 days, UTC, by day. Extends both ends
 * to window boundaries, so that all figures cover the same period. Throws 400 with every violation, `others` included.
 */
export function readPeriod(query: PeriodQuery, now: Date, others: readonly Violation[] = []): Period {
  const zone = query.timezone ?? 'UTC';
  const to = query.to ? momentOf(query.to, zone) : now;
  const from = query.from ? momentOf(query.from, zone) : new Date(windowEnd(to).getTime() - 30 * DAY_MS);
  const period = {
    from: windowOf(from),
    to: windowEnd(to),
    interval: query.interval ?? 'day',
    timezone: zone,
  };
  const errors = [...others];
  for (const [path, date] of [
    ['/from', from],
    ['/to', to],
  ] as const) {
    if (!(date >= EARLIEST && date < LATEST))
      errors.push({ path, code: 'out_of_range', message: 'must be between the years 1970 and 9998' });
  }
  if (from >= to) errors.push({ path: '/from', code: 'out_of_range', message: 'must be before to' });
  if (!isTimezone(period.timezone))
    errors.push({ path: '/timezone', code: 'timezone', message: 'must be an IANA time zone such as Europe/Berlin' });
  if (lengthIn({ ...period, from, to }) > MAX_POINTS) {
    errors.push({
      path: '/interval',
      code: 'out_of_range',
      message: `yields more than ${MAX_POINTS} points; use a longer interval or a shorter period`,
    });
  }
  assertValid(errors);
  return period;
}

/** How many intervals long a period is, at least as many as fit into it; a month counts as 30 days. */
const lengthIn = ({ from, to, interval }: Period): number =>
  (to.getTime() - from.getTime()) / HOUR_MS / hours[interval];

/**
 * The starts of the intervals that overlap the period. Days, weeks and months follow the zone's calendar; hours follow
 * absolute time, on which no hour is missing or repeated when summer time begins or ends. A day whose midnight occurs
 * twice starts at the first.
 */
export async function startsOf(tx: EntityManager, period: Period): Promise<number[]> {
  const { from, to, interval } = period;
  const timezone = canonicalZone(period.timezone)!;
  const starts =
    interval === 'hour'
      ? sql`select date_trunc('hour', ${from}::timestamptz, ${timezone}) + step as at from steps`
      : sql`
        select case when (last - interval '1 hour') at time zone ${timezone} >= local then last - interval '1 hour' else last end as at
        from steps
        cross join lateral (select date_trunc(${interval}, ${from}::timestamptz at time zone ${timezone}) + step as local) l
        cross join lateral (select local at time zone ${timezone} as last) m`;
  const found = await rows<{ at: Date }>(
    tx,
    sql`
    with steps as (select n * ('1 ' || ${interval})::interval as step from generate_series(0, ${Math.ceil(lengthIn(period)) + 1}::int) n), starts as (${starts})
    select at from starts where at < ${to}::timestamptz order by at`,
  );
  return found.map(({ at }) => at.getTime());
}
