import { DateTime } from 'luxon';
import type { FigureKind, KeyFigure, ReportCell, ReportColumn, ReportContent } from './content.ts';

const INTEGER = new Intl.NumberFormat('en-GB');
const PERCENT = new Intl.NumberFormat('en-GB', {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const SIGNED = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 1, signDisplay: 'exceptZero' });

type Period = ReportContent['period'];

/** A figure as people read it: `12,345`, `25.0%`. */
export const figureText = (value: number, kind: FigureKind): string =>
  kind === 'percent' ? PERCENT.format(value) : INTEGER.format(value);

/** A change as people read it: `+12.3%`, `-0.4 pts` (percentage points), `new` after nothing; empty if there is none. */
export function changeText({ kind, previous, change, value }: KeyFigure): string {
  if (previous === null) return '';
  if (kind === 'percent') return change === 0 ? 'no change' : `${SIGNED.format(change! * 100)} pts`;
  if (change === null) return value === 0 ? 'no change' : 'new';
  return change === 0 ? 'no change' : `${SIGNED.format(change * 100)}%`;
}

const inZone = (at: string, { timezone }: Pick<Period, 'timezone'>): DateTime =>
  DateTime.fromISO(at, { zone: timezone, locale: 'en-US' });

/** The start of an interval: `3 Nov 2026`, `Nov 2026`, `3 Nov 2026, 14:00`. */
export function intervalText(at: string, period: Period): string {
  const local = inZone(at, period);
  if (period.interval === 'month') return local.toFormat('LLL yyyy');
  return local.toFormat(period.interval === 'hour' ? 'd LLL yyyy, HH:mm' : 'd LLL yyyy');
}

/** The same for the axis of a chart, where the period tells the year: `3 Nov`, `Nov 2026`, `3 Nov 14:00`. */
export function axisText(at: string, period: Period, days: number): string {
  const local = inZone(at, period);
  if (period.interval === 'month') return local.toFormat(days > 3650 ? 'yyyy' : 'LLL yy');
  if (period.interval === 'hour') return local.toFormat(days > 2 ? 'd LLL' : 'd LLL HH:mm');
  return local.toFormat(days > 366 ? 'LLL yy' : 'd LLL');
}

/** A moment in the period's timezone: `3 Nov 2026, 14:05`. */
export const momentText = (at: string, period: Period): string => inZone(at, period).toFormat('d LLL yyyy, HH:mm');

/** A period of whole days as `1 Nov 2026 – 30 Nov 2026`, any other with its times; its end is exclusive. */
export function periodText({ from, to }: { from: string; to: string }, period: Period): string {
  const [start, end] = [inZone(from, period), inZone(to, period)];
  const isWhole = +start === +start.startOf('day') && +end === +end.startOf('day');
  if (!isWhole) return `${momentText(from, period)} – ${momentText(to, period)}`;
  const last = end.minus({ days: 1 });
  const text = (day: DateTime): string => day.toFormat('d LLL yyyy');
  return last <= start ? text(start) : `${text(start)} – ${text(last)}`;
}

/** A cell of a table as people read it. */
export function cellText(cell: ReportCell, { kind }: ReportColumn, period: Period): string {
  if (cell === null) return '';
  if (kind === 'at') return intervalText(cell as string, period);
  if (typeof cell === 'string' || kind === 'text' || kind === 'id') return String(cell);
  return figureText(cell, kind);
}
