import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';

/** Over a connection with nothing at work the next request may be on its way: it is answered if it comes within this. */
const SILENT_MS = 1_000;
/** What takes longer (an upload) is cut off, as when the process had been killed: it was not answered. */
const LONGEST_MS = 20_000;

export interface Drain {
  /** To be told of every response before it is begun. */
  track: (response: ServerResponse) => void;
  /** Responses that were tracked and are not over. */
  atWork: () => number;
  /** Of these, those that wait for nothing but their client to read them. */
  unread: () => number;
  /** Connections with a request that has come whole and is being worked at. */
  working: () => Set<Socket>;
  /** Whether a request over a connection is still to come whole, or to be answered. */
  isAsked: (socket: Socket) => boolean;
  /** Whether a request was answered over a connection. */
  served: (socket: Socket) => boolean;
  /**
   * Takes no more connections, answers what is at work and what still comes over the open ones, and says with each answer
   * that its connection ends (RFC 9112, section 9.6). Resolves when all are closed, after LONGEST_MS at the latest; answers
   * how many requests were cut off.
   */
  end: () => Promise<number>;
}

/** A response that is not over, and where it stands among them. */
interface Work {
  response: ServerResponse;
  place: number;
}

const SERVED = Symbol('served');
/** A mark of its own costs the next request over it nothing, which a WeakSet would. */
type FollowedSocket = Socket & { [SERVED]?: true };

/** Follows the connections and answers of a server that does not listen yet. */
export function createDrain(server: Server): Drain {
  // No Set: each table that V8 outgrows for one points to the next, so one of them that got old keeps all later ones, with
  // every response that was in them, until the next full collection. The short collections then took ten times as long.
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
    isAsked: (socket) => atWork.some(({ response }) => response.socket === socket && !response.writableEnded),
    served: (socket) => (socket as FollowedSocket)[SERVED] === true,
    async end() {
      draining = true;
      for (const { response } of atWork) last(response);
      // That of http ends idle connections at once, and waits without end for those over which nothing was ever asked.
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
