import { domainToASCII } from 'node:url';
import isEmailModule from 'validator/lib/isEmail.js';
import type { Violation } from '../checks/violation.ts';

const MAX_EMAIL = 255;
const INVALID_EMAIL: Violation = { code: 'invalid_email', message: 'must be an email address' };
const PATTERN: Violation = {
  code: 'invalid_email',
  message: 'must be one email address; patterns such as *@example.com and domains are not supported',
};
const TOO_LONG: Violation = { code: 'too_long', message: `must be at most ${MAX_EMAIL} characters` };

// Letters, marks and digits of any script (RFC 6531) and the ASCII specials of RFC 5322's dot-atom. No quoted local
// parts, symbols, emoji or invisible characters: few servers accept them, and they allow addresses that look alike.
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+\-/=?^_`{|}~.]+$/u;
// What is meant as a pattern: as an address it would stand for nobody, and suppressing it would do nothing. No mail
// system gives out addresses with an asterisk.
const WILDCARD = /\*|^[%?]+$|^$/;
// domainToASCII parses its argument as the host of a URL: it would decode %41 and cut at a slash. So only host
// characters may reach it.
const DOMAIN = /^[\p{L}\p{M}\p{N}\p{So}.-]+$/u;
/**
 * A domain that is its own ASCII form: neither an encoded name (`xn--`) nor a number that stands for an IP address.
 */
const PLAIN_DOMAIN = /^(?!.*xn--)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]+$/;
// Nearly all addresses match. It accepts only addresses that isEmail accepts (with at most 64 characters no limit of a
// part is exceeded), in a tenth of the time. An import of a million rows runs it once per row.
const ORDINARY = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,20}$/i;

export interface NormalisedEmail {
  /** As given, trimmed and in NFC: the address that emails are sent to. */
  readonly email: string;
  /** The unique key within a tenant: in lower case, the domain in its ASCII form (UTS 46). */
  readonly emailKey: string;
}

/**
 * The domain for comparing and sending: lower case and ASCII, mapped by UTS 46, because another lower-casing could
 * give another domain. '' for an invalid domain.
 */
export const asciiDomain = (domain: string): string => (PLAIN_DOMAIN.test(domain) ? domain : domainToASCII(domain));

/**
 * Normalises an email address. Accepts international domains, even with emoji, and letters of any script in local
 * parts. Rejects local parts that are quoted or contain emoji or other symbols, and patterns such as `*@example.com`.
 * Violations: `too_long` (over 255 characters), `invalid_email`.
 */
export function normaliseEmail(input: string): NormalisedEmail | Violation {
  const trimmed = input.trim();
  if (trimmed.length <= 64 && ORDINARY.test(trimmed)) return { email: trimmed, emailKey: trimmed.toLowerCase() };
  const email = trimmed.normalize('NFC');
  if (email.length > 2 * MAX_EMAIL || [...email].length > MAX_EMAIL) return TOO_LONG;
  const split = email.lastIndexOf('@');
  const local = email.slice(0, split);
  const domain = email.slice(split + 1);
  if (split >= 0 && DOMAIN.test(domain) && WILDCARD.test(local)) return PATTERN;
  if (split < 1 || !LOCAL_PART.test(local) || !DOMAIN.test(domain)) return INVALID_EMAIL;
  const ascii = asciiDomain(domain);
  // The limits of lengths and characters of host names apply to the ASCII form (RFC 1035, RFC 5321 section 4.5.3.1).
  if (!isEmailModule.default(`${local}@${ascii}`)) return INVALID_EMAIL;
  return { email, emailKey: `${local.toLowerCase().normalize('NFC')}@${ascii}` };
}
