import type { Violation } from '../../../lib/checks/errors.ts';
import type { CheckUrl } from '../../outbound/check-url.ts';
import { headerViolations } from '../../outbound/header-violations.ts';
import { filterViolations } from './event-fields.ts';

/** The fields of an endpoint that are checked beyond their schema. Parts that are not given are not checked. */
interface Checked {
  url?: string | undefined;
  types?: readonly string[] | undefined;
  filter?: unknown;
  headers?: Record<string, unknown> | undefined;
}

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
  return [...violations, ...headerViolations(headers ?? {}, '/headers', stored)];
}
