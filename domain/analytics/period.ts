import { assertValid, type Violation } from '../common/errors.ts';
import { isTimezone } from '../common/local-time.ts';

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

const windowOf = (moment: Date, length = WINDOW_MS): Date => new Date(Math.floor(moment.getTime() / length) * length);
const windowEnd = (moment: Date, length = WINDOW_MS): Date => new Date(Math.ceil(moment.getTime() / length) * length);

/**
 * The period of a query: `from` inclusive, `to` exclusive; by default the last 30 days, UTC, by day. Extends both ends
 * to window boundaries, so that all figures cover the same period. Throws 400 with every violation, `others` included.
 */
export function readPeriod(query: PeriodQuery, now: Date, others: readonly Violation[] = []): Period {
  const to = query.to ? new Date(query.to) : now;
  const from = query.from ? new Date(query.from) : new Date(windowEnd(to).getTime() - 30 * DAY_MS);
  const period = {
    from: windowOf(from),
    to: windowEnd(to),
    interval: query.interval ?? 'day',
    timezone: query.timezone ?? 'UTC',
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
export const lengthIn = ({ from, to, interval }: Period): number =>
  (to.getTime() - from.getTime()) / HOUR_MS / hours[interval];

/**
 * The period that figures can cover: before `horizon` there are no events, only what was made of them, so an end that
 * lies there is extended to a whole hour.
 */
export function coverable(period: Period, horizon: Date): Period {
  return {
    ...period,
    from: period.from < horizon ? windowOf(period.from, HOUR_MS) : period.from,
    to: period.to < horizon ? windowEnd(period.to, HOUR_MS) : period.to,
  };
}
