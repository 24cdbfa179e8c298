const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The extremes of all timezones: the hours by which their local time is behind and ahead of UTC. */
const BEHIND_MS = 12 * HOUR_MS;
const AHEAD_MS = 14 * HOUR_MS;

/** The dates of a contact's field that make a moment fall on a day. */
export interface DueDate {
  /** The day of the moment, `YYYY-MM-DD` in the contact's timezone. */
  day: string;
  /** The date, `YYYY-MM-DD`; if annual, `MM-DD`. */
  date: string;
  /** The latest date that counts, `YYYY-MM-DD`: nothing recurs before it has first occurred. */
  latest: string;
}

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
const isLeapYear = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;

/**
 * The dates of a DATE trigger's field whose moment may be after `after` and not after `until` in some timezone. If
 * annual, a date recurs every year on its month and day; 29 February recurs on 28 February in a year without it. The
 * offset counts from that anniversary.
 */
export function dueDates(
  { offsetDays, time, annual = false }: { offsetDays: number; time: string; annual?: boolean },
  { after, until }: { after: Date; until: Date },
): DueDate[] {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  const sinceMidnight = (hours * 60 + minutes) * 60_000;
  const found: DueDate[] = [];
  const first = Math.floor((after.getTime() - BEHIND_MS - sinceMidnight) / DAY_MS) + 1;
  const last = Math.floor((until.getTime() + AHEAD_MS - sinceMidnight) / DAY_MS);
  for (let day = first; day <= last; day += 1) {
    const anniversary = isoDay((day - offsetDays) * DAY_MS);
    const due = { day: isoDay(day * DAY_MS), latest: anniversary };
    if (!annual) {
      found.push({ ...due, date: anniversary });
      continue;
    }
    found.push({ ...due, date: anniversary.slice(5) });
    const isSubstitute = anniversary.endsWith('-02-28') && !isLeapYear(Number(anniversary.slice(0, 4)));
    if (isSubstitute) found.push({ ...due, date: '02-29' });
  }
  return found;
}

/** The day of a month in a year; 29 February is 28 February in a year without it. */
const anniversaryIn = (year: number, date: string): string =>
  `${year}${date.endsWith('-02-29') && !isLeapYear(year) ? '-02-28' : date.slice(4)}`;

/** The longest offset is ten years. */
const YEARS_AROUND = 11;

/**
 * The days, `YYYY-MM-DD`, on which a DATE trigger's moments of a contact with this date fall: one, or if annual those of
 * the years around `now`, or the first if that is later.
 */
export function momentDays(
  { offsetDays, annual = false }: { offsetDays: number; annual?: boolean },
  date: string,
  now: Date,
): string[] {
  const first = Number(date.slice(0, 4));
  const around = Array.from({ length: 2 * YEARS_AROUND + 1 }, (_, n) => now.getUTCFullYear() - YEARS_AROUND + n);
  const later = annual ? around.filter((year) => year > first) : [];
  return [first, ...later]
    .map((year) => Date.parse(anniversaryIn(year, date)))
    .map((ms) => isoDay(ms + offsetDays * DAY_MS));
}
