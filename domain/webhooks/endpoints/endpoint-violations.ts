import { validateHeaderValue } from 'node:http';
import type { Violation } from '../../common/errors.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import { filterViolations } from './event-fields.ts';

/** The fields of an endpoint that are checked beyond their schema. Parts that are not given are not checked. */
interface Checked {
  url?: string | undefined;
  types?: readonly string[] | undefined;
  filter?: unknown;
  headers?: Record<string, unknown> | undefined;
}

/** What Standard Webhooks and HTTP (RFC 9110, RFC 9112) say with these is not for a user to say. */
const REFUSED =
  /^(content-.*|webhook-.*|proxy-.*|host|connection|keep-alive|transfer-encoding|upgrade|te|trailer|expect|date)$/;
/** A token of RFC 9110, section 5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const MAX_VALUE = 2000;

/**
 * The violations of an endpoint. `stored` are the names of its headers now, in lower case: `true` keeps the value of
 * one of them.
 */
export function endpointViolations(
  { url, types, filter, headers }: Checked,
  checkUrl: CheckUrl,
  stored: readonly string[] = [],
): Violation[] {
  const violations: Violation[] = [];
  const problem = url === undefined ? null : checkUrl(url);
  if (problem) violations.push({ path: '/url', ...problem });
  if (types && types.length > 1 && types.includes('*'))
    violations.push({ path: '/types', code: 'conflict', message: '* must be the only type' });
  if (filter != null && types) violations.push(...filterViolations(filter, types, '/filter'));
  return [...violations, ...headerViolations(headers ?? {}, stored)];
}

function headerViolations(headers: Record<string, unknown>, stored: readonly string[]): Violation[] {
  const seen = new Set<string>();
  return Object.entries(headers).flatMap(([name, value]) => {
    const path = `/headers/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const key = name.toLowerCase();
    const refusal = TOKEN.test(name) ? nameProblem(key, seen) : { code: 'format', message: 'is not a header name' };
    seen.add(key);
    const wrong = refusal ?? valueProblem(key, value, stored);
    return wrong ? [{ path, ...wrong }] : [];
  });
}

type Problem = Pick<Violation, 'code' | 'message'>;

function nameProblem(key: string, seen: ReadonlySet<string>): Problem | null {
  if (REFUSED.test(key)) return { code: 'invalid', message: `the header ${key} cannot be set` };
  return seen.has(key) ? { code: 'duplicate', message: 'is given twice' } : null;
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
