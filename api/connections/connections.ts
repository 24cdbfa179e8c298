import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../domain/rate-limits/network-of.ts';
import { readAddress } from '../middleware/address.ts';

/**
 * Keeps the connections of one address (of IPv6 one /64) to `most`: for one more, the oldest that waits for a request gives way, those first
 * over which none ever came whole. Where all are at work, the new one is refused. `working` are the connections with a whole
 * request that is not answered yet; `served` tells of those over which a request was answered.
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

/** A client that reads nothing of its answer for so long is gone, or wants to keep us waiting. Node looks twice: it may be as long again. */
const UNREAD_MS = 30_000;

/**
 * Ends connections over which nothing moves for `unreadMs` while an answer is to be sent, and idle ones when their time is over.
 * `isAsked`: whether a request is still to come whole, which has a limit of its own, or to be answered, which may take longer.
 */
export function endSilentReaders(
  server: Server,
  { isAsked }: { isAsked: (socket: Socket) => boolean },
  unreadMs = UNREAD_MS,
): void {
  server.setTimeout(unreadMs, (socket) => {
    if (socket.writableLength > 0 || !isAsked(socket)) socket.destroy();
  });
}
