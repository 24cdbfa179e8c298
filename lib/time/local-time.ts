import { LRUCache } from 'lru-cache';
import { IANAZone } from 'luxon';
import { Type } from 'typebox';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const WEEKDAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;

/** `HH:MM`, 00:00 to 23:59. */
export const TimeSchema = Type.String({
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  description: 'HH:MM',
  examples: ['09:00'],
  'x-form': 'a time HH:MM from 00:00 to 23:59, such as 09:00',
});
export const WeekdaySchema = Type.Union([Type.Integer(), Type.String()], {
  description: '`monday` to `sunday`, or 1 (Monday) to 7 (ISO 8601)',
});

/** 1 (Monday) to 7, from a name in any case or an ISO 8601 number; undefined for anything else. */
export function weekdayNumber(weekday: string | number): number | undefined {
  if (typeof weekday === 'number')
    return weekday >= 1 && weekday <= 7 && Number.isInteger(weekday) ? weekday : undefined;
  const index = WEEKDAYS.findIndex((name) => name === weekday.toLowerCase());
  return index < 0 ? undefined : index + 1;
}

/** Longer than any name of a zone. */
const LONGEST_ZONE = 100;
/** Kept, because a formatter takes about as long to make as an email to render. */
const canonicalZones = new LRUCache<string, { name: string | null }>({ max: 1_000 });

const CANONICAL_ZONES = new Set(['UTC', ...Intl.supportedValuesOf('timeZone')]);

/**
 * The canonical IANA name of a time zone, in any case or by one of its other names; null for anything else, offsets such
 * as `+02:00` among them. Postgres must be given this name: it reads `CET` as an offset without summer time, does not
 * know `AET`, and reads the sign of offsets the other way round.
 */
export function canonicalZone(timezone: string): string | null {
  if (timezone.length > LONGEST_ZONE || !/^[A-Za-z]/.test(timezone)) return null;
  let zone = canonicalZones.get(timezone);
  if (!zone) canonicalZones.set(timezone, (zone = { name: findZone(timezone) }));
  return zone.name;
}

function findZone(timezone: string): string | null {
  try {
    const zone = new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone;
    return CANONICAL_ZONES.has(zone) || zone.startsWith('Etc/') ? zone : null;
  } catch {
    return null;
  }
}

export const isTimezone = (timezone: string): boolean => canonicalZone(timezone) !== null;

/** The contact's time zone; UTC if it has none, or one that is not (or no longer) an IANA name. */
function zoneOf(timezone: string | null): IANAZone {
  return IANAZone.create(timezone !== null && isTimezone(timezone) ? timezone : 'UTC');
}

/** Midnight of the zone's calendar date at `instant`, plus `days`, in ms as if local time were UTC. */
function localDay(zone: IANAZone, instant: Date, days: number): number {
  const local = instant.getTime() + zone.offset(instant.getTime()) * MINUTE_MS;
  return Math.floor(local / DAY_MS) * DAY_MS + days * DAY_MS;
}

/**
 * Converts a wall-clock time (ms, as if it were UTC) to absolute time. A time skipped by a clock change is read with
 * the offset before the gap (02:30 becomes 03:30); of a time that occurs twice, the first is meant: RFC 5545, section
 * 3.3.5.
 */
function instantOf(zone: IANAZone, local: number): number {
  const before = zone.offset(local - DAY_MS);
  const after = zone.offset(local + DAY_MS);
  const early = local - before * MINUTE_MS;
  const late = local - after * MINUTE_MS;
  return zone.offset(early) !== before && zone.offset(late) === after ? late : early;
}

function atTime(zone: IANAZone, day: number, time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number];
  return instantOf(zone, day + (hours * 60 + minutes) * MINUTE_MS);
}

function isoWeekday(day: number): number {
  return new Date(day).getUTCDay() || 7;
}

/** The next `time` (HH:MM) strictly after `after`, on `weekday` if given, in the timezone (UTC if null or unknown). */
export function nextLocalTime(
  at: { weekday?: string | number; time: string },
  after: Date,
  timezone: string | null,
): Date {
  const zone = zoneOf(timezone);
  const weekday = at.weekday === undefined ? undefined : weekdayNumber(at.weekday);
  for (let days = 0; ; days += 1) {
    const day = localDay(zone, after, days);
    const instant = atTime(zone, day, at.time);
    if (instant > after.getTime() && (weekday === undefined || isoWeekday(day) === weekday)) return new Date(instant);
  }
}

/**
 * When emails may be sent: on these weekdays (all if absent), `from` inclusive, `to` exclusive, `to` at most 24:00.
 */
export interface SendWindow {
  days?: (string | number)[];
  from: string;
  to: string;
  /** An IANA name, or `contact` for the contact's own. */
  timezone: string;
}

/** `now` if it is within the window, else the start of the next one. */
export function nextInWindow(window: SendWindow, now: Date, contactTimezone: string | null): Date {
  const zone = zoneOf(window.timezone === 'contact' ? contactTimezone : window.timezone);
  const days = window.days?.map(weekdayNumber);
  for (let offset = 0; offset <= 14; offset += 1) {
    const day = localDay(zone, now, offset);
    if (days && !days.includes(isoWeekday(day))) continue;
    const opens = atTime(zone, day, window.from);
    if (now.getTime() < atTime(zone, day, window.to)) return new Date(Math.max(opens, now.getTime()));
  }
  return now;
}

/** A span of every day, `from` inclusive, `to` exclusive; it crosses midnight if `to` is not later than `from`. */
export interface DailySpan {
  from: string;
  to: string;
  /** An IANA name. */
  timezone: string;
}

/** The end of the span if `now` is within it, else `now`. */
export function endOfSpan({ from, to, timezone }: DailySpan, now: Date): Date {
  const zone = zoneOf(timezone);
  for (const days of [-1, 0]) {
    const begins = localDay(zone, now, days);
    const ends = localDay(zone, now, to > from ? days : days + 1);
    const end = atTime(zone, ends, to);
    if (atTime(zone, begins, from) <= now.getTime() && now.getTime() < end) return new Date(end);
  }
  return now;
}

/**
 * Converts a wall-clock time (ms, as if it were UTC) in a timezone to absolute time; UTC if the timezone is unknown.
 */
export function atWallClock(local: number, timezone: string): Date {
  return new Date(instantOf(zoneOf(timezone), local));
}
