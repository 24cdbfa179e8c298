import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Context, Next } from 'koa';

/**
 * The address in an item of X-Forwarded-For, in a canonical form: some proxies add the port or the zone of an IPv6
 * address, some write IPv4 as IPv6, and what is counted per address must not be counted per connection. Null if there
 * is none.
 */
export function readAddress(item: string): string | null {
  // The usual case: plain IPv4.
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

/**
 * The client's address, as reported by the outermost of `trusted` proxies (X-Forwarded-For), or else the connection's
 * remote address.
 */
export function addressOf(request: IncomingMessage, trusted: number): string {
  const connected = (): string => readAddress(request.socket.remoteAddress ?? '') ?? '';
  if (trusted === 0) return connected();
  const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',');
  return readAddress(forwarded.slice(-trusted)[0]!) ?? connected();
}

/** Sets `ctx.ip` to a canonical address. */
export function clientAddress(trusted: number) {
  return (ctx: Context, next: Next): Promise<void> => {
    ctx.request.ip = addressOf(ctx.req, trusted);
    return next();
  };
}
