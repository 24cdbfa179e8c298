import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** On an idle connection the next request may already be on its way: it is answered if it arrives within this time. */
const SILENT_MS = 1_000;
/** Requests that take longer (uploads) are cut off unanswered, as if the process had been killed. */
const LONGEST_MS = 20_000;

export interface ConnectionTracker {
  /** Must be called for every response before it is started. */
  track: (response: ServerResponse) => void;
  /** The number of tracked responses that are not closed. */
  atWork: () => number;
  /** The number of these that are completely written and only wait for their client to read them. */
  unread: () => number;
  /** The connections with a completely received request in progress. */
  working: () => Set<Socket>;
  /** Whether a request on a connection is being received or processed. */
  hasRequest: (socket: Socket) => boolean;
  /** Whether a request was answered on a connection. */
  served: (socket: Socket) => boolean;
  /**
   * Accepts no more connections, answers requests in progress and those that still arrive on open connections, each
   * with `Connection: close` (RFC 9112, section 9.6). Resolves when all are closed, at the latest after LONGEST_MS,
   * with the number of requests that were cut off.
   */
  end: () => Promise<number>;
}

/** An open response, and its index in the list. */
interface Work {
  response: ServerResponse;
  place: number;
}

const SERVED = Symbol('served');
/** A property on the socket costs later requests nothing, unlike a WeakSet. */
type FollowedSocket = Socket & { [SERVED]?: true };

/** Tracks the connections and responses of a server that does not listen yet. */
export function trackConnections(server: Server): ConnectionTracker {
  // An array, not a Set: each table that V8 outgrows for a Set points to the next one, so a single old table keeps all
  // later ones alive, with every response that was in them, until the next full collection. That made minor collections
  // ten times slower.
  const atWork: Work[] = [];
  const sockets = new Set<Socket>();
  let draining = false;
  const last = (response: ServerResponse): void => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };

  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return {
    track(response) {
      const work: Work = { response, place: atWork.length };
      atWork.push(work);
      if (draining) last(response);
      response.on('close', () => {
        (response.req.socket as FollowedSocket)[SERVED] = true;
        const moved = atWork.pop()!;
        if (moved === work) return;
        atWork[work.place] = moved;
        moved.place = work.place;
      });
    },
    atWork: () => atWork.length,
    unread: () => atWork.reduce((count, { response }) => (response.writableEnded ? count + 1 : count), 0),
    working: () =>
      new Set(
        atWork.flatMap(({ response }) =>
          response.req.complete && !response.writableEnded && response.socket ? [response.socket] : [],
        ),
      ),
    hasRequest: (socket) => atWork.some(({ response }) => response.socket === socket && !response.writableEnded),
    served: (socket) => (socket as FollowedSocket)[SERVED] === true,
    async end() {
      draining = true;
      for (const { response } of atWork) last(response);
      // The `close` of http.Server would close idle connections immediately, and wait without limit for connections
      // that never sent a request.
      const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
      const silent = setInterval(() => {
        const busy = new Set(atWork.map(({ response }) => response.socket));
        for (const socket of sockets) if (!busy.has(socket)) socket.destroy();
      }, SILENT_MS);
      let cutOff = 0;
      const longest = setTimeout(() => {
        cutOff = atWork.length;
        server.closeAllConnections();
      }, LONGEST_MS);
      await closed;
      clearInterval(silent);
      clearTimeout(longest);
      return cutOff;
    },
  };
}
