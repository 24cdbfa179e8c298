import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Server, Socket } from 'node:net';

interface FetchQuery {
  /** Start and length of a partial fetch, as requested; the response contains only the start. */
  partial: number[];
}
interface Connection {
  socket: Socket;
  /** Handles the client's next line during IDLE. */
  inputHandler: ((line: string) => void) | false;
}
interface Hoodiecrow {
  server: Server;
  connectionHandlers: ((connection: Connection) => void)[];
  fetchHandlers: Record<
    string,
    (connection: unknown, message: { raw: string }, query: FetchQuery) => { type: 'LITERAL'; value: string }
  >;
  appendMessage: (mailbox: string, flags: string[], date: undefined, raw: string) => void;
}
const require = createRequire(import.meta.url);
// It has no types.
const hoodiecrow = require('hoodiecrow-imap') as (options: object) => Hoodiecrow;

/**
 * Fixes `BODY.PEEK[]<start.length>` for several messages: the original returns no more of any message than of the
 * shortest one before it.
 */
function answerParts(server: Hoodiecrow): void {
  const asked = new WeakMap<FetchQuery, number[]>();
  const answer: (typeof server.fetchHandlers)[string] = (_connection, { raw }, query) => {
    const [start = 0, length = raw.length] = asked.get(query) ?? query.partial;
    asked.set(query, [start, length]);
    query.partial = [start];
    return { type: 'LITERAL', value: raw.slice(start, start + length) };
  };
  // After the first message the server itself changes the query to BODY.
  Object.assign(server.fetchHandlers, { 'BODY.PEEK': answer, BODY: answer });
}

/**
 * Ends IDLE when the connection closes: the original leaves a timer of half an hour, which would keep the test process
 * alive.
 */
function endIdling(server: Hoodiecrow): void {
  server.connectionHandlers.push((connection) =>
    connection.socket.once('close', () => {
      if (connection.inputHandler) connection.inputHandler('DONE');
    }),
  );
}

/** An in-memory mailbox on an IMAP server with IDLE. */
export interface ImapServer {
  /** In the format of BOUNCE_IMAP_URL. */
  url: string;
  port: number;
  /** user@host:port/folder */
  name: string;
  /** Adds an email; idling clients are notified. */
  append: (raw: string) => void;
  connections: Set<Socket>;
  /** Simulates a recreated mailbox: the same emails with other UIDs. */
  renumber: () => void;
  /** Closes the port and every connection; `start` opens the same port again, with the same emails. */
  stop: () => Promise<void>;
  start: () => Promise<void>;
}

export async function startImapServer(): Promise<ImapServer> {
  const mails: string[] = [];
  let uidValidity = 1;
  let firstUid = 1;
  let running: Hoodiecrow | null = null;
  const imap: ImapServer = {
    url: '',
    port: 0,
    name: '',
    connections: new Set(),
    append(raw) {
      mails.push(raw);
      running?.appendMessage('INBOX', [], undefined, raw);
    },
    renumber() {
      uidValidity += 1;
      firstUid += 1000;
    },
    async start() {
      const messages = mails.map((raw, n) => ({ raw, uid: firstUid + n }));
      running = hoodiecrow({
        plugins: ['ID', 'IDLE', 'UIDPLUS', 'LITERALPLUS', 'ENABLE', 'NAMESPACE', answerParts, endIdling],
        id: { name: 'mailbox' },
        users: { 'bounces@example.com': { password: 'p@ss/word' } },
        storage: {
          INBOX: { uidvalidity: uidValidity, uidnext: firstUid + mails.length, messages },
          '': { type: 'personal', separator: '/', folders: {} },
        },
      });
      const { server } = running;
      server.on('connection', (socket: Socket) => {
        imap.connections.add(socket);
        socket.on('close', () => imap.connections.delete(socket));
        socket.on('error', () => {});
      });
      server.listen(imap.port, '127.0.0.1');
      await once(server, 'listening');
      imap.port = (server.address() as { port: number }).port;
      imap.url = `imap://bounces%40example.com:p%40ss%2Fword@127.0.0.1:${imap.port}/INBOX`;
      imap.name = `bounces@example.com@127.0.0.1:${imap.port}/INBOX`;
    },
    async stop() {
      const { server } = running!;
      running = null;
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of imap.connections) socket.destroy();
      await closed;
    },
  };
  await imap.start();
  return imap;
}
