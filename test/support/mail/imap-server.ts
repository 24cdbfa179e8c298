import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { Server, Socket } from 'node:net';

interface FetchQuery {
  /** Start and length of a part, as asked; the answer names the start alone. */
  partial: number[];
}
interface Connection {
  socket: Socket;
  /** What takes the client's next line while it idles. */
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
// It comes without types.
const hoodiecrow = require('hoodiecrow-imap') as (options: object) => Hoodiecrow;

/** Returns `BODY.PEEK[]<start.length>` of several messages: its own way answers no more of any than of the shortest before. */
function answerParts(server: Hoodiecrow): void {
  const asked = new WeakMap<FetchQuery, number[]>();
  const answer: (typeof server.fetchHandlers)[string] = (_connection, { raw }, query) => {
    const [start = 0, length = raw.length] = asked.get(query) ?? query.partial;
    asked.set(query, [start, length]);
    query.partial = [start];
    return { type: 'LITERAL', value: raw.slice(start, start + length) };
  };
  // After the first message it asks itself for BODY.
  Object.assign(server.fetchHandlers, { 'BODY.PEEK': answer, BODY: answer });
}

/** Ends IDLE with its connection: its own way leaves a timer of half an hour, and no test process would end. */
function endIdling(server: Hoodiecrow): void {
  server.connectionHandlers.push((connection) =>
    connection.socket.once('close', () => {
      if (connection.inputHandler) connection.inputHandler('DONE');
    }),
  );
}

/** A mailbox on a server that speaks IMAP (with IDLE), in memory. */
export interface ImapServer {
  /** As BOUNCE_IMAP_URL has it. */
  url: string;
  port: number;
  /** user@host:port/folder */
  name: string;
  /** A mail comes in; whoever idles is told. */
  append: (raw: string) => void;
  connections: Set<Socket>;
  /** As after a mailbox was made anew: the same mails under other UIDs. */
  renumber: () => void;
  /** Closes the port and every connection; `start` opens the same port again, with the same mails. */
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
