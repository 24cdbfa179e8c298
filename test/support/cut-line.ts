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
}

/** A line to a server that can be cut, as when the server is gone. */
export async function cutLine(host: string, port: number): Promise<CutLine> {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, host);
    for (const [socket, other] of [[near, far], [far, near]] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => { sockets.delete(socket); other.destroy(); });
    }
    near.on('data', (sent) => {
      if (line.cutAt !== null && sent.includes(line.cutAt)) near.destroy();
      else far.write(sent);
    });
    near.on('end', () => far.end());
    far.pipe(near);
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
  };
  return line;
}
