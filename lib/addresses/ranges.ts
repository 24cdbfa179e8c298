import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;

/** A range of addresses: its first address and the length of its prefix (CIDR, RFC 4632). */
export type Range = readonly [Address, number];

const WIDTH = { 4: 32, 6: 128 } as const;
/** The only part of IPv6 from which global unicast addresses are assigned (RFC 4291, section 2.4; IANA registry). */
const GLOBAL_IPV6 = ipaddr.parseCIDR('2000::/3');

/** Parses comma-separated ranges such as `10.0.0.0/8, fd00::/8`. Throws an Error that quotes the first bad one. */
export function parseRanges(text: string): Range[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map((part) => {
      const [, address = '', bits = ''] = /^([\d.]+|[\da-f:.]+)\/(\d{1,3})$/i.exec(part) ?? [];
      const family = isIP(address) as 0 | 4 | 6;
      if (family === 0 || Number(bits) > WIDTH[family]) throw new Error(`${JSON.stringify(part)} is no range (CIDR)`);
      return [ipaddr.parse(address), Number(bits)];
    });
}

/**
 * Whether an address may be reached: `allowed` = it is in one of the ranges `allow`; `public` = a global unicast
 * address; everything else is `refused` (private, loopback, link-local, multicast, CGNAT, NAT64, IPv4-mapped, reserved).
 */
export function judgeAddress(address: string, allow: readonly Range[]): 'allowed' | 'public' | 'refused' {
  if (isIP(address) === 0) return 'refused';
  const parsed = ipaddr.parse(address);
  const isIn = ([first, bits]: Range): boolean =>
    parsed.kind() === first.kind() && parsed.match([first, bits] as never);
  if (allow.some(isIn)) return 'allowed';
  const isGlobal = parsed.range() === 'unicast' && (parsed.kind() === 'ipv4' || isIn(GLOBAL_IPV6));
  return isGlobal ? 'public' : 'refused';
}
