import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** What the line does with the commit of a transaction that keeps an answer to an Idempotency-Key. */
export type Fault =
  /** Postgres has committed, and its word does not come through: `onCommitted` is called instead. */
  | { lose: 'reply'; onCommitted(): void }
  /** The connection breaks before Postgres hears of the commit. */
  | { lose: 'commit' }
  | null;

export interface CommitLine {
  port: number;
  /** Happens once, to the next such commit. */
  fault: Fault;
  close(): Promise<void>;
}

/** A line to Postgres that reads along: it knows the transactions that write to `idempotent_answers`, and when they commit. */
export async function commitLine(host: string, port: number): Promise<CommitLine> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, host);
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => { sockets.delete(socket); other.destroy(); });
    }
    let keeps = false;
    let committing: Fault = null;
    near.on('data', (sent) => {
      keeps ||= sent.includes('insert into idempotent_answers');
      if (keeps && sent.includes('commit\0')) {
        keeps = false;
        [committing, line.fault] = [line.fault, null];
        if (committing?.lose === 'commit') return void near.destroy();
      }
      far.write(sent);
    });
    far.on('data', (answered) => {
      if (committing?.lose === 'reply' && answered.includes('COMMIT\0')) return committing.onCommitted();
      near.write(answered);
    });
    near.on('end', () => far.end());
    far.on('end', () => near.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const line: CommitLine = {
    port: (server.address() as { port: number }).port, fault: null,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  return line;
}
