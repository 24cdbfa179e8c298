import { connect, createServer, type Server } from 'node:net';
import { EnvError } from '../../config/env.ts';

/** A port of the stack, what uses it, and the setting that changes it. */
export interface PortUse {
  port: number;
  what: string;
  setting: string;
}

/** Throws an error with one line per port that is in use; each names the setting that changes the port. */
export async function assertFree(uses: PortUse[]): Promise<void> {
  const problems: string[] = [];
  const seen = new Map<number, PortUse>();
  for (const use of uses) {
    const twin = seen.get(use.port);
    if (twin) problems.push(`Port ${use.port} is set for both ${twin.what} and ${use.what}: change ${use.setting}.`);
    else await listen(use.port).then(close, (error: NodeJS.ErrnoException) => problems.push(problem(use, error)));
    seen.set(use.port, use);
  }
  if (problems.length > 0) throw new EnvError(problems.join('\n'));
}

/** Finds `count` different ports that were free a moment ago, chosen by the system. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(Array.from({ length: count }, () => listen(0)));
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map(close));
  return ports;
}

/** Resolves if something accepts connections on the port; rejects otherwise. */
export function portOpens(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}

function problem({ port, what, setting }: PortUse, error: NodeJS.ErrnoException): string {
  const reason = error.code === 'EADDRINUSE' ? 'is in use' : `cannot be opened (${error.code})`;
  return `Port ${port} for ${what} ${reason}: free it, or set ${setting} to another port.`;
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
