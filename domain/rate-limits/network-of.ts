import { isIPv6 } from 'node:net';

/**
 * The unit that counts as one client: an IPv4 address, or the first 64 bits of an IPv6 address, because one user
 * usually has all addresses with these. IPv4-mapped IPv6 addresses count as IPv4.
 */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  // The URL parser gives the canonical form: hexadecimal groups.
  const [head = [], tail] = new URL(`http://[${address}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const groups = tail ? [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail] : head;
  if (/^(0:){5}ffff:/.test(groups.join(':')))
    return groups
      .slice(6)
      .map((group) => parseInt(group, 16))
      .flatMap((two) => [two >> 8, two & 255])
      .join('.');
  return `${groups.slice(0, 4).join(':')}::/64`;
}
