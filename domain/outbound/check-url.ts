import { isIP } from 'node:net';
import { noLiquid } from '../../lib/text/liquid.ts';
import { judgeAddress, type Range } from '../../lib/addresses/ranges.ts';

/** Why a URL cannot be called; without the path of the violation. */
export interface UrlProblem {
  code: 'format' | 'outbound_refused' | 'liquid_unavailable';
  message: string;
}

export type CheckUrl = (url: string) => UrlProblem | null;

const refused = (message: string): UrlProblem => ({ code: 'outbound_refused', message });

/** The host of a URL if it is an address, without the brackets of IPv6; else null. */
export function literalHost({ hostname }: URL): string | null {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? null : host;
}

/**
 * Checks a URL as far as that is possible without DNS; null = it may be called. URL parsing turns every spelling of an
 * IPv4 address (127.1, 2130706433, 0x7f000001) into the usual one. What a name leads to is judged at each connection.
 */
export function checkUrl(text: string, allow: readonly Range[]): UrlProblem | null {
  const liquid = noLiquid(text);
  if (liquid) return liquid;
  if (/[\s\p{Cc}\\]/u.test(text) || !URL.canParse(text))
    return { code: 'format', message: 'url must be a URL like https://example.com/hook' };
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refused('url must start with https://');
  if (url.username !== '' || url.password !== '') return refused('url must not contain a user name or password');
  const literal = literalHost(url);
  const judged = literal === null ? null : judgeAddress(literal, allow);
  if (judged === 'refused')
    return refused(
      'url must not lead to a private, local or reserved address, unless the operator allows it (OUTBOUND_ALLOW)',
    );
  // Without TLS, only allowed addresses may be reached. For a name, that is decided at the connection.
  const mayBePlain = judged === 'allowed' || (judged === null && allow.length > 0);
  return url.protocol === 'http:' && !mayBePlain ? refused('url must start with https://') : null;
}

/** The check without any OUTBOUND_ALLOW. */
export const checkPublicUrl: CheckUrl = (url) => checkUrl(url, []);
