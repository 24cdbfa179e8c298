const DAY_MS = 86_400_000;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const DATE_TIME = /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/i;

/** Midnight UTC of a calendar date `YYYY-MM-DD` in the years 1000 to 9000; null for anything else. */
export function parseDate(text: string): Date | null {
  const match = DATE.exec(text);
  if (!match) return null;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const date = new Date(Date.UTC(year, month - 1, day));
  // Date.UTC turns 30 February into a day in March.
  return year >= 1000 && year <= 9000 && date.getUTCMonth() === month - 1 ? date : null;
}

/** An RFC 3339 date-time with its offset, truncated to milliseconds; null for anything else, also for leap seconds. */
export function parseDateTime(text: string): Date | null {
  const match = DATE_TIME.exec(text);
  return match && parseDate(match[1]!) ? new Date(text.toUpperCase()) : null;
}

/**
 * The range of a filter's value for a `datetime` field: `from` inclusive, `until` exclusive. A date-time means its
 * millisecond, a date its whole day in UTC. Null if the text is neither.
 */
export function instantRange(text: string): { from: Date; until: Date } | null {
  const day = parseDate(text);
  const from = day ?? parseDateTime(text);
  return from && { from, until: new Date(from.getTime() + (day ? DAY_MS : 1)) };
}
