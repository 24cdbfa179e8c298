import { isIP } from 'node:net';
import type { Context, Next } from 'koa';

/**
 * The address in an item of X-Forwarded-For, in one spelling: some proxies add the port or the zone of an IPv6 address,
 * some write IPv4 as IPv6, and what counts per address must not count per connection. Null where it holds none.
 */
export function readAddress(item: string): string | null {
  const plain = item.trim().toLowerCase().replace(/%[^\]]*/, '').replace(/^\[(.+)\](:\d+)?$/, '$1').replace(/^([\d.]+):\d+$/, '$1').replace(/^::ffff:([\d.]+)$/, '$1');
  return isIP(plain) === 0 ? null : plain;
}

/** Sees to it that `ctx.ip` is an address: the client's, or else of what is connected to us. */
export async function clientAddress(ctx: Context, next: Next): Promise<void> {
  ctx.request.ip = readAddress(ctx.ip) ?? readAddress(ctx.socket.remoteAddress ?? '') ?? '';
  await next();
}
