import { Cron } from 'croner';

/** Reads a valid cron expression of five parts, in an IANA timezone (UTC if null). */
export function readCron(cron: string, timezone: string | null): Cron {
  return new Cron(cron, { timezone: timezone ?? 'UTC', mode: '5-part', paused: true });
}

/** Why a cron expression cannot be used; null if it can. */
export function cronProblem(cron: string, timezone: string | null): string | null {
  try {
    return readCron(cron, timezone).nextRun() === null ? 'never matches any date' : null;
  } catch {
    return 'must be a cron expression of five parts: minute, hour, day of the month, month, day of the week';
  }
}
