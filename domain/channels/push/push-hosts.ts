import { literalHost, type CheckUrl } from '../../outbound/check-url.ts';

/** The hosts of PUSH_HOSTS. */
export const pushHostsOf = ({ PUSH_HOSTS }: { PUSH_HOSTS: string }): string[] =>
  PUSH_HOSTS.split(',')
    .map((host) => host.trim().toLowerCase())
    .filter((host) => host !== '');

/**
 * Whether a URL is that of a push service: on one of these hosts (`*.` stands for all names below a domain), or at an
 * address of OUTBOUND_ALLOW; over https, and over http only where OUTBOUND_ALLOW lets it.
 */
export function isPushEndpoint(text: string, hosts: readonly string[], checkUrl: CheckUrl): boolean {
  if (checkUrl(text) !== null) return false;
  const url = new URL(text);
  const isListed = hosts.some((host) =>
    host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : host === url.hostname || host === url.host,
  );
  // Only an allowed address may be called over http.
  const isAllowed = literalHost(url) !== null && checkUrl(`http://${url.host}/`) === null;
  return isAllowed || (isListed && url.protocol === 'https:');
}
