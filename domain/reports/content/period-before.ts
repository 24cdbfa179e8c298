import { DateTime } from 'luxon';
import type { ReportPeriod } from '../../../db/entities/reports.ts';
import type { Period } from '../../common/period.ts';

type Span = Pick<Period, 'from' | 'to'>;

/**
 * The period to compare with: the same length right before. Whole calendar months are compared with as many months
 * before, whole days with as many days, in the period's timezone; other periods by their duration.
 */
export function periodBefore({ from, to, timezone }: Span & { timezone: string }): Span {
  const [start, end] = [from, to].map((date) => DateTime.fromJSDate(date, { zone: timezone })) as [DateTime, DateTime];
  for (const unit of ['month', 'day'] as const) {
    if (+start !== +start.startOf(unit) || +end !== +end.startOf(unit)) continue;
    const units = Math.round(end.diff(start, `${unit}s`).as(`${unit}s`));
    return { from: start.minus({ [`${unit}s`]: units }).toJSDate(), to: from };
  }
  return { from: new Date(2 * from.getTime() - to.getTime()), to: from };
}

/** The last whole day, week (from Monday, ISO 8601) or month before a moment, in a timezone. */
export function lastWhole(unit: ReportPeriod, moment: Date, timezone: string): Span {
  const to = DateTime.fromJSDate(moment, { zone: timezone }).startOf(unit);
  return { from: to.minus({ [`${unit}s`]: 1 }).toJSDate(), to: to.toJSDate() };
}
