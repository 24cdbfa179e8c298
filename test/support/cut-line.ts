import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface CutLine {
  port: number;
  /** The connection that this text is sent over is cut before it arrives, each time; null for none. */
  cutAt: string | null;
  /** Ends every connection and takes no more. */
  cut(): Promise<void>;
  /** Takes connections again. */
  mend(): Promise<void>;
  /** Lets nothing through in either direction, and says nothing; connections are taken. */
  hush(): void;
  /** Lets through what was held up, and the rest. */
  speak(): void;
}

/** A line to a server that can be cut, as when the server is gone. */
export async function cutLine(host: string, port: number): Promise<CutLine> {
  const sockets = new Set<Socket>();
  let hushed = false;
  const server = createServer((near) => {
    const far = connect(port, host);
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => { sockets.delete(socket); other.destroy(); });
      socket.on('data', (sent) => {
        if (socket === near && line.cutAt !== null && sent.includes(line.cutAt)) near.destroy();
        else other.write(sent);
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
    port: own, cutAt: null,
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
