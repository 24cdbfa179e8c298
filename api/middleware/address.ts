import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Context, Next } from 'koa';

/**
 * The address in an item of X-Forwarded-For, in one spelling: some proxies add the port or the zone of an IPv6 address,
 * some write IPv4 as IPv6, and what counts per address must not count per connection. Null where it holds none.
 */
export function readAddress(item: string): string | null {
  // Most are as plain as can be.
  if (/^[\d.]+$/.test(item)) return isIP(item) === 0 ? null : item;
  const plain = item
    .trim()
    .toLowerCase()
    .replace(/%[^\]]*/, '')
    .replace(/^\[(.+)\](:\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
    .replace(/^::ffff:([\d.]+)$/, '$1');
  return isIP(plain) === 0 ? null : plain;
}

/** The client's address: as the outermost of `trusted` proxies says (X-Forwarded-For), or else of what is connected to us. */
export function addressOf(request: IncomingMessage, trusted: number): string {
  const connected = (): string => readAddress(request.socket.remoteAddress ?? '') ?? '';
  if (trusted === 0) return connected();
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
  return readAddress(forwarded.slice(-trusted)[0]!) ?? connected();
}

/** Sees to it that `ctx.ip` is an address. */
export function clientAddress(trusted: number) {
  return (ctx: Context, next: Next): Promise<void> => {
    ctx.request.ip = addressOf(ctx.req, trusted);
    return next();
  };
}
