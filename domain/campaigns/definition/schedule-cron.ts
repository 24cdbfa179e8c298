import { cronProblem } from '../../common/cron.ts';

const NUMBERS = '[0-9*,/-]+';
const MONTHS = '([0-9*,/-]|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)+';
const WEEKDAYS = '([0-9*,/-]|sun|mon|tue|wed|thu|fri|sat)+';
/** What Temporal and our parser read alike: not `?`, `#`, `L` and `W`. */
const COMMON = new RegExp(`^${NUMBERS} ${NUMBERS} ${NUMBERS} ${MONTHS} ${WEEKDAYS}$`, 'i');

/** Why the cron expression of a SCHEDULE cannot be used; null if it can. */
export function scheduleProblem(cron: string, timezone: string): string | null {
  if (COMMON.test(cron)) return cronProblem(cron, timezone);
  return 'may contain numbers, lists, ranges, steps and *, and names of months (JAN) and days of the week (MON)';
}
