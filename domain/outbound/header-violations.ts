import { validateHeaderValue } from 'node:http';
import type { Violation } from '../../lib/checks/errors.ts';

/** What HTTP (RFC 9110, RFC 9112) and Standard Webhooks say with these is not for a user to say. */
const REFUSED =
  /^(content-.*|webhook-.*|proxy-.*|host|connection|keep-alive|transfer-encoding|upgrade|te|trailer|expect|date)$/;
/** A token of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const MAX_VALUE = 2000;

type Problem = Pick<Violation, 'code' | 'message'>;

/**
 * The violations of the headers that a user wants in requests. `stored` are the names of those that are there now, in
 * lower case: `true` keeps the value of one of them.
 */
export function headerViolations(
  headers: Record<string, unknown>,
  path: string,
  stored: readonly string[] = [],
): Violation[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    const duplicate = seen.has(key) ? { code: 'duplicate', message: 'is given twice' } : null;
    seen.add(key);
    const wrong = headerNameProblem(name) ?? duplicate ?? valueProblem(key, value, stored);
    return wrong ? [{ path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, ...wrong }] : [];
  });
}

/** Why a user cannot set a header with this name; null if that is possible. */
export function headerNameProblem(name: string): Problem | null {
  if (!TOKEN.test(name)) return { code: 'format', message: 'is not a header name' };
  const key = name.toLowerCase();
  return REFUSED.test(key) ? { code: 'invalid', message: `the header ${key} cannot be set` } : null;
}

function valueProblem(key: string, value: unknown, stored: readonly string[]): Problem | null {
  if (value === true) {
    const message = 'must be a text; true keeps the value of a header that is there';
    return stored.includes(key) ? null : { code: 'type', message };
  }
  if (typeof value !== 'string' || value.length > MAX_VALUE)
    return { code: 'type', message: `must be a text of up to ${MAX_VALUE} characters` };
  try {
    validateHeaderValue(key, value);
    return null;
  } catch {
    return { code: 'invalid_character', message: 'has characters that no header can have' };
  }
}
