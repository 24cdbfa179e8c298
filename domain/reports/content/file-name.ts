import { DateTime } from 'luxon';
import type { ReportFormat } from '../../../db/entities/reports.ts';
import type { ReportContent } from './content.ts';

/** Characters of a title in a file's name, so that it is within the limits of email headers. */
const MAX_TITLE = 60;

/** The name of a report's file: its title, the days of its period, its format; without what file systems refuse. */
export function reportFileName(
  { title, period }: { title: string; period: Pick<ReportContent['period'], 'from' | 'to' | 'timezone'> },
  format: ReportFormat,
): string {
  const name = title
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}/\\:*?"<>|]+/gu, '-')
    .trim();
  const day = (at: string, before = 0): string =>
    DateTime.fromISO(at, { zone: period.timezone }).minus({ milliseconds: before }).toFormat('yyyy-MM-dd');
  // The end is exclusive.
  const days = [...new Set([day(period.from), day(period.to, 1)])].join(' to ');
  return `${[...name].slice(0, MAX_TITLE).join('')} ${days}.${format}`;
}
