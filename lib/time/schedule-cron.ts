import { Type } from 'typebox';
import { cronProblem } from './cron.ts';

const NUMBERS = '[0-9*,/-]+';
const MONTHS = '([0-9*,/-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)+';
const WEEKDAYS = '([0-9*,/-]|sun|mon|tue|wed|thu|fri|sat)+';
/** What Temporal and our parser read alike: not `?`, `#`, `L` and `W`. */
const COMMON = new RegExp(`^${NUMBERS} ${NUMBERS} ${NUMBERS} ${MONTHS} ${WEEKDAYS}$`, 'i');

/** A cron expression that fires a Temporal Schedule, as far as a schema can tell. */
export const CronSchema = Type.String({
  maxLength: 200,
  pattern: '^[^ ]+( [^ ]+){4}$',
  description:
    'Five cron fields: minute, hour, day of the month, month, day of the week. A local time that the clocks skip does not come on that day; one that occurs twice comes once, the second time',
  examples: ['0 9 * * MON'],
});

/** Why the cron expression of a Temporal Schedule cannot be used; null if it can. */
export function scheduleProblem(cron: string, timezone: string): string | null {
  if (COMMON.test(cron)) return cronProblem(cron, timezone);
  return 'may contain numbers, lists, ranges, steps and *, and names of months (JAN) and days of the week (MON)';
}

/** Why a schedule might fire more often than once an hour; null if it cannot. */
export const oftenProblem = (cron: string): string | null =>
  /^[0-9]+ /.test(cron) ? null : 'must fire at most once an hour: its first field must be one minute, such as 0';

/**
 * The expressions of a Temporal Schedule that fires at the times of `cron`. Where both the day of the month and the day
 * of the week are restricted, a date that matches either counts, as cron has it; Temporal wants both to match, so it
 * gets an expression for each.
 */
export function cronExpressionsOf(cron: string): string[] {
  const [minute, hour, day, month, weekday] = cron.split(' ') as [string, string, string, string, string];
  if (day === '*' || weekday === '*') return [cron];
  return [`${minute} ${hour} ${day} ${month} *`, `${minute} ${hour} * ${month} ${weekday}`];
}
