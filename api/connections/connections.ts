import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../domain/rate-limits/network-of.ts';
import { readAddress } from '../middleware/address.ts';

/**
 * Limits the connections per address (for IPv6 per /64) to `most`. For a further connection, the oldest one that is not
 * `working` is closed (an upload only works once it is complete), preferably one that never had a request answered; if
 * all are working, the new one is closed. `working`: the connections with a complete request that is not answered yet.
 * `served`: whether a request was answered on a connection.
 */
export function limitConnections(
  server: Server,
  most: number,
  { working, served }: { working: () => Set<Socket>; served: (socket: Socket) => boolean },
): void {
  const open = new Map<string, Set<Socket>>();
  server.on('connection', (socket) => {
    const address = networkOf(readAddress(socket.remoteAddress ?? '') ?? '');
    const own = open.get(address) ?? new Set();
    open.set(address, own);
    if (own.size >= most) {
      const busy = working();
      const waiting = [...own].filter((one) => !busy.has(one));
      (waiting.find((one) => !served(one)) ?? waiting[0] ?? socket).destroy();
    }
    own.add(socket);
    socket.once('close', () => {
      own.delete(socket);
      if (own.size === 0) open.delete(address);
    });
  });
}

/**
 * A client that reads nothing of its response for this long is gone or malicious. When the time is over, Node starts it
 * again if any bytes were sent meanwhile, so it can take twice as long.
 */
const UNREAD_MS = 30_000;

/**
 * Closes connections without any progress for `unreadMs` while a response is being sent, and idle connections: also
 * after `unreadMs`, or after the server's `keepAliveTimeout` if they had a response. `hasRequest`: whether a request is
 * still being received (which has its own limit) or processed (which may take longer).
 */
export function endSilentReaders(
  server: Server,
  { hasRequest }: { hasRequest: (socket: Socket) => boolean },
  unreadMs = UNREAD_MS,
): void {
  server.setTimeout(unreadMs, (socket) => {
    if (socket.writableLength > 0 || !hasRequest(socket)) socket.destroy();
  });
}
