import { domainToASCII } from 'node:url';
import validator from 'validator';
import type { Violation } from './violation.ts';

const MAX_EMAIL = 255;
const INVALID_EMAIL: Violation = { code: 'invalid_email', message: 'must be an email address' };
const TOO_LONG: Violation = { code: 'too_long', message: `must be at most ${MAX_EMAIL} characters` };

// Letters, marks and digits of any script (RFC 6531) and the ASCII specials of RFC 5322's dot-atom. No quoted local parts,
// and no symbols, emoji or invisible characters: hardly a server takes them, and they make twins that look alike.
const LOCAL_PART = /^[\p{L}\p{M}\p{N}!#$%&'*+\-/=?^_`{|}~.]+$/u;
// domainToASCII reads its argument as a URL's host and would decode %41 or cut at a slash, so only host characters reach it.
const DOMAIN = /^[\p{L}\p{M}\p{N}\p{So}.-]+$/u;
/** Which is its own ASCII form: it could be neither an encoded name nor a number that stands for an address. */
const PLAIN_DOMAIN = /^(?!.*xn--)(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]+$/;
// Nearly every address there is. A part of what isEmail accepts, and with up to 64 characters no limit on parts is near; it
// takes a tenth of the time, which an import of a million rows spends once per row.
const ORDINARY = /^[a-z0-9]+(?:[._+-][a-z0-9]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,20}$/i;

export interface NormalisedEmail {
  /** As given, trimmed and in NFC: what mail is addressed to. */
  readonly email: string;
  /** What makes it unique in a tenant: lower case, the domain in its ASCII form (UTS 46). */
  readonly emailKey: string;
}

/** A domain as it is compared and sent to: in lower case and ASCII, as UTS 46 maps it (another lower case may be another domain); '' for what is none. */
export const asciiDomain = (domain: string): string => (PLAIN_DOMAIN.test(domain) ? domain : domainToASCII(domain));

/**
 * Normalises an email address. International domains are accepted (emoji domains too), local parts may hold letters of any
 * script; local parts that are quoted or hold emoji or other symbols are refused.
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
  if (split < 1 || !LOCAL_PART.test(local) || !DOMAIN.test(domain)) return INVALID_EMAIL;
  const ascii = asciiDomain(domain);
  // The ASCII form is what the rules on lengths and characters of host names are about (RFC 1035, RFC 5321 4.5.3.1).
  if (!validator.isEmail(`${local}@${ascii}`)) return INVALID_EMAIL;
  return { email, emailKey: `${local.toLowerCase().normalize('NFC')}@${ascii}` };
}
