import { DateTime } from 'luxon';
import type { ScheduleType } from '../../db/entities/email-campaigns.ts';
import type { Violation } from '../../lib/checks/errors.ts';
import { cronProblem, readCron } from '../../lib/time/cron.ts';
import { atWallClock, isTimezone } from '../../lib/time/local-time.ts';

export interface Schedule {
  scheduleType: ScheduleType | null;
  scheduledAt: Date | null;
  cron: string | null;
  timezone: string | null;
}

const HOUR_MS = 3_600_000;
/** The first timezone in which a time of day occurs is 14 hours ahead of UTC. */
const EARLIEST_MS = 14 * HOUR_MS;

/** Limits that keep the time representable in every timezone. */
const EARLIEST_TIME = Date.UTC(1970, 0, 2);
const LATEST_TIME = Date.UTC(9999, 11, 30);

/** The violations of a schedule; it must be complete as soon as a schedule type is chosen. */
export function scheduleViolations({ scheduleType, scheduledAt, cron, timezone }: Schedule): Violation[] {
  const violations: Violation[] = [];
  const needsTime = scheduleType === 'scheduled' || scheduleType === 'recipient_local_time';
  if (needsTime && scheduledAt === null)
    violations.push({
      path: '/scheduledAt',
      code: 'required',
      message: `is required when scheduleType is ${scheduleType}`,
    });
  if (scheduledAt !== null && (scheduledAt.getTime() < EARLIEST_TIME || scheduledAt.getTime() > LATEST_TIME)) {
    violations.push({ path: '/scheduledAt', code: 'out_of_range', message: 'must be between the years 1970 and 9999' });
  }
  if (scheduleType === 'recurring' && cron === null)
    violations.push({ path: '/cron', code: 'required', message: 'is required when scheduleType is recurring' });
  if (timezone !== null && !isTimezone(timezone))
    violations.push({ path: '/timezone', code: 'timezone', message: 'must be an IANA timezone such as Europe/Berlin' });
  else if (cron !== null) {
    const problem = cronProblem(cron, timezone);
    if (problem) violations.push({ path: '/cron', code: 'cron', message: problem });
  }
  return violations;
}

/**
 * When a campaign with a valid schedule starts (a recurring one: again) after `after`; null if a recurring one never
 * starts again.
 */
export function startOf(
  { scheduleType, scheduledAt, cron, timezone = null }: Partial<Schedule>,
  after: Date,
): Date | null {
  if (scheduleType === 'recurring') return readCron(cron!, timezone).nextRun(after);
  if (scheduleType === 'scheduled') return scheduledAt!;
  // Freeze the audience before the first recipient's time comes.
  if (scheduleType === 'recipient_local_time') return new Date(wallClock(scheduledAt!, timezone) - EARLIEST_MS);
  return after;
}

/** The wall-clock time of `at` in the timezone (UTC if null), in ms as if it were UTC. */
function wallClock(at: Date, timezone: string | null): number {
  return DateTime.fromJSDate(at, { zone: timezone ?? 'UTC' })
    .setZone('UTC', { keepLocalTime: true })
    .toMillis();
}

/**
 * When the campaign's local time comes for a recipient: the wall-clock time of `scheduledAt` in the campaign's
 * timezone, read in the recipient's timezone. `scheduledAt` itself if the recipient's timezone is unknown.
 */
export function dueAt(
  { scheduledAt, timezone }: { scheduledAt: Date; timezone: string | null },
  recipientTimezone: string | null,
): Date {
  if (recipientTimezone === null || !isTimezone(recipientTimezone)) return scheduledAt;
  return atWallClock(wallClock(scheduledAt, timezone), recipientTimezone);
}
