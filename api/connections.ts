import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../domain/rate-limits/network-of.ts';
import { readAddress } from './middleware/address.ts';

/**
 * Keeps the connections of one address (of IPv6 one /64) to `most`: for one more, the oldest that waits for a request gives way, those first
 * over which none ever came whole. Where all are at work, the new one is refused. `working` are the connections with a whole
 * request that is not answered yet; `served` tells of those over which a request was answered.
 */
export function limitConnections(server: Server, most: number, { working, served }: { working(): Set<Socket>; served(socket: Socket): boolean }): void {
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
