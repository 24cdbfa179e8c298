import { canonicalZone } from '../../lib/time/local-time.ts';
import type { Violation } from '../../lib/checks/violation.ts';
import { isViolation } from '../../lib/checks/violation.ts';

export { normaliseEmail } from '../../lib/addresses/email.ts';
export { phoneE164 } from '../../lib/addresses/phone.ts';
export { isViolation, type Violation } from '../../lib/checks/violation.ts';

/** Maximum lengths in characters (Unicode code points, as Postgres counts varchar); `tags` is a number of tags. */
export const CONTACT_LIMITS = {
  firstName: 100,
  lastName: 100,
  email: 255,
  phone: 50,
  company: 255,
  timezone: 64,
  locale: 35,
  tag: 100,
  tags: 100,
  customText: 5_000,
} as const;

const INVALID_CHARACTER: Violation = { code: 'invalid_character', message: 'must not contain control characters' };
const INVALID_TIMEZONE: Violation = {
  code: 'invalid_timezone',
  message: 'must be an IANA time zone such as Europe/Berlin',
};
const INVALID_LOCALE: Violation = { code: 'invalid_locale', message: 'must be a BCP 47 language tag such as de-AT' };
const TOO_MANY_TAGS: Violation = { code: 'too_many_tags', message: `must be at most ${CONTACT_LIMITS.tags} tags` };

const CONTROL = /[\x00-\x1f\x7f-\x9f]/;
const CONTROL_BUT_TAB_AND_BREAKS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Trims a text and normalises it to NFC; an empty text becomes null. `multiline` allows tabs and line breaks inside.
 * Violations: `invalid_character` (control characters, NUL, lone surrogates), `too_long` (over `max` code points).
 */
export function cleanText(value: string, max: number, { multiline = false } = {}): string | null | Violation {
  const trimmed = value.trim();
  if (trimmed === '') return null;
  if ((multiline ? CONTROL_BUT_TAB_AND_BREAKS : CONTROL).test(trimmed)) return INVALID_CHARACTER;
  if (!ASCII.test(trimmed)) {
    if (!trimmed.isWellFormed()) return INVALID_CHARACTER;
    const text = trimmed.normalize('NFC');
    return isLonger(text, max) ? tooLong(max) : text;
  }
  return trimmed.length > max ? tooLong(max) : trimmed;
}

function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

function tooLong(max: number): Violation {
  return { code: 'too_long', message: `must be at most ${max} characters` };
}

const knownTimezones = new Map<string, string>();

/**
 * The IANA time zone in its usual spelling (`europe/berlin` → `Europe/Berlin`); an empty text becomes null. Rejects
 * offsets such as `+02:00`. Violation: `invalid_timezone`.
 */
export function normaliseTimezone(value: string): string | null | Violation {
  const trimmed = value.trim();
  if (trimmed === '') return null;
  const key = trimmed.toLowerCase();
  const known = knownTimezones.get(key);
  if (known !== undefined) return known;
  if (key.length > CONTACT_LIMITS.timezone) return INVALID_TIMEZONE;
  const zone = canonicalZone(trimmed);
  if (zone === null) return INVALID_TIMEZONE;
  knownTimezones.set(key, zone);
  return zone;
}

/** The BCP 47 tag in canonical form (`de_at` → `de-AT`); an empty text becomes null. Violation: `invalid_locale`. */
export function normaliseLocale(value: string): string | null | Violation {
  const trimmed = value.trim();
  if (trimmed === '') return null;
  if (trimmed.length > CONTACT_LIMITS.locale) return INVALID_LOCALE;
  try {
    return Intl.getCanonicalLocales(trimmed.replaceAll('_', '-'))[0] ?? INVALID_LOCALE;
  } catch {
    return INVALID_LOCALE;
  }
}

/**
 * Trims tags and removes empty ones and duplicates (case-sensitive), keeping the order.
 * Violations: those of `cleanText` per tag, `too_many_tags` (over 100).
 */
export function normaliseTags(values: readonly string[]): string[] | Violation {
  const tags = new Set<string>();
  for (const value of values) {
    const tag = cleanText(value, CONTACT_LIMITS.tag);
    if (isViolation(tag)) return tag;
    if (tag !== null) tags.add(tag);
  }
  return tags.size > CONTACT_LIMITS.tags ? TOO_MANY_TAGS : [...tags];
}
