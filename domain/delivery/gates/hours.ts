import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import type { Channel } from '../../../db/entities/channels.ts';
import { endOfSpan, isTimezone, nextInWindow, type DailySpan, type SendWindow } from '../../../lib/time/local-time.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** Weekdays repeat after a week, and clocks change at most once in it: what is not open in this time never opens. */
const HORIZON_MS = 14 * DAY_MS;

/** What decides when a marketing message may be sent to someone. */
export interface HoursRules {
  channel: Channel;
  /** The tenant's window of the channel. */
  sendWindow: SendWindow | null;
  /** The tenant's time zone. */
  tenantTimezone: string;
  maxHoldHours: number;
  /** The person's. */
  quietHours: DailySpan | null;
  /** The contact's; null if unknown. */
  timezone: string | null;
  /** The number of a text message (E.164). */
  number: string | null;
}

/**
 * When the message may be sent: `now` while hours are open, else the next opening; null if there is none.
 */
export function nextOpening(rules: HoursRules, now: Date): Date | null {
  const { sendWindow, quietHours } = rules;
  const windows = sendWindow ? windowsOf(rules, sendWindow, now) : [];
  return commonOpening(windows, quietHours, now);
}

/**
 * Until when a message that was queued at `queuedAt` must be held; null if it may be sent now, `expired` if its hours
 * are closed for longer than the tenant allows. What passed while they were open is not counted: it was not held then.
 */
export function heldUntil(rules: HoursRules, queuedAt: Date, now: Date): Date | 'expired' | null {
  const opening = nextOpening(rules, now);
  if (opening?.getTime() === now.getTime()) return null;
  if (opening === null) return 'expired';
  const earliest = opening.getTime() - rules.maxHoldHours * HOUR_MS;
  if (queuedAt.getTime() >= earliest) return opening;
  // It is held since they closed, if that was not earlier: they were open just before.
  const before = nextOpening(rules, new Date(earliest - 1));
  return before !== null && before < opening ? opening : 'expired';
}

/** The first moment from `now` on that lies in all windows and in no quiet hours. */
function commonOpening(windows: readonly SendWindow[], quiet: DailySpan | null, now: Date): Date | null {
  for (let at = now; at.getTime() <= now.getTime() + HORIZON_MS;) {
    const inWindows = windows.map((window) => nextInWindow(window, at, null).getTime());
    const next = Math.max(at.getTime(), ...inWindows, quiet ? endOfSpan(quiet, at).getTime() : 0);
    if (next === at.getTime()) return at;
    at = new Date(next);
  }
  return null;
}

/**
 * The window, in the time zone of the person if the window is meant so. Where nobody knows it, a text message waits
 * until the window is open in every time zone of the number's country, or in the tenant's if those never have an hour
 * in common; other messages take the tenant's.
 */
function windowsOf({ channel, timezone, number, tenantTimezone }: HoursRules, window: SendWindow, now: Date) {
  const inZone = (zone: string): SendWindow => ({ ...window, timezone: zone });
  if (window.timezone !== 'contact') return [window];
  if (timezone !== null && isTimezone(timezone)) return [inZone(timezone)];
  const windows = channel === 'sms' && number !== null ? zonesOfNumber(number).map(inZone) : [];
  return windows.length > 0 && commonOpening(windows, null, now) ? windows : [inZone(tenantTimezone)];
}

/** TypeScript does not know this method yet. */
const zonesOfRegion = (region: string): readonly string[] =>
  (new Intl.Locale('und', { region }) as Intl.Locale & { getTimeZones: () => string[] | undefined }).getTimeZones() ??
  [];

const zonesByCountry = new Map<string, readonly string[]>();

/** The time zones of the number's country (CLDR); none if the number belongs to no country. */
export function zonesOfNumber(number: string): readonly string[] {
  const country = parsePhoneNumberFromString(number)?.country;
  if (!country) return [];
  const known = zonesByCountry.get(country);
  if (known) return known;
  const zones = zonesOfRegion(country).filter(isTimezone);
  zonesByCountry.set(country, zones);
  return zones;
}
