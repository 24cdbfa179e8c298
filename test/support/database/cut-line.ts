import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CutLine {
  port: number;
  /** A connection is cut before this text arrives, every time; null for never. */
  cutAt: string | null;
  /** Closes every connection and accepts no more. */
  cut: () => Promise<void>;
  /** Accepts connections again. */
  mend: () => Promise<void>;
  /** Accepts connections but forwards nothing in either direction. */
  hush: () => void;
  /** Forwards what was held back, and everything after it. */
  speak: () => void;
}

/** What happens to a chunk: it is forwarded, it is lost, or its connection is cut before it arrives. */
export type Fate = 'goes on' | 'lost' | 'cut';

/** Inspects the traffic of one connection and decides about each chunk. */
export interface Reader {
  sent: (piece: Buffer) => Fate;
  answered: (piece: Buffer) => Fate;
}

/** A proxy to a server that can be cut, as if the server were gone. `readAlong` is called for each connection. */
export async function cutLine(host: string, port: number, readAlong?: () => Reader): Promise<CutLine> {
  const sockets = new Set<Socket>();
  let hushed = false;
  const server = createServer((near) => {
    const far = connect(port, host);
    const reader = readAlong?.();
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.on('data', (piece) => {
        const isCut = socket === near && line.cutAt !== null && piece.includes(line.cutAt);
        const fate = isCut ? 'cut' : ((socket === near ? reader?.sent(piece) : reader?.answered(piece)) ?? 'goes on');
        if (fate === 'cut') near.destroy();
        else if (fate === 'goes on') other.write(piece);
      });
      if (hushed) socket.pause();
    }
    near.on('end', () => far.end());
    far.on('end', () => near.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = (server.address() as { port: number }).port;
  const line: CutLine = {
    port: own,
    cutAt: null,
    async cut() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async mend() {
      server.listen(own, '127.0.0.1');
      await once(server, 'listening');
    },
    hush() {
      hushed = true;
      for (const socket of sockets) socket.pause();
    },
    speak() {
      hushed = false;
      for (const socket of sockets) socket.resume();
    },
  };
  return line;
}
