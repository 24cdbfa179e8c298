import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'nats';
import { findBinary } from './binaries.ts';
import { makePrivate, startService, untilReady, type Service } from './service.ts';

export interface NatsOptions {
  /** Called as soon as the process exists, long before it is ready. */
  spawned?: (service: Service) => void;
  /** Holds the folders `nats` and `logs`. */
  dataDir: string;
  port: number;
  password: string;
  /** Isolated accounts, each with JetStream: their users are t1 … tN. Without it there is one user, `perennial`. */
  accounts?: number;
  log: (line: string) => void;
}

/** Starts nats-server with JetStream on disk, on loopback. Ready when JetStream has answered. */
export async function startNats({ dataDir, port, password, accounts, log, spawned }: NatsOptions): Promise<Service> {
  const folder = join(dataDir, 'nats');
  const configFile = join(folder, 'nats.conf');
  makePrivate(folder);
  await writeFile(configFile, config(port, join(folder, 'jetstream'), password, accounts), { mode: 0o600 });
  const service = await startService({
    name: 'NATS',
    command: await findBinary('nats-server', { log }),
    args: ['--config', configFile],
    logFile: join(dataDir, 'logs', 'nats.log'),
    spawned,
  });
  try {
    await untilReady(service, () => askJetStream(port, accounts ? 't1' : 'perennial', password));
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/** The address of NATS with its credentials. */
export function natsUrl(port: number, user: string, password: string): string {
  return `nats://${user}:${password}@127.0.0.1:${port}`;
}

async function askJetStream(port: number, user: string, pass: string): Promise<void> {
  const connection = await connect({ servers: `127.0.0.1:${port}`, user, pass, reconnect: false, timeout: 2_000 });
  try {
    const manager = await connection.jetstreamManager();
    await manager.getAccountInfo();
  } finally {
    await connection.close();
  }
}

function config(port: number, storeDir: string, password: string, accounts?: number): string {
  const login = (user: string) => `users: [{ user: ${JSON.stringify(user)}, password: ${JSON.stringify(password)} }]`;
  const numbers = Array.from({ length: accounts ?? 0 }, (_, index) => index + 1);
  return [
    'host: 127.0.0.1',
    `port: ${port}`,
    'server_name: perennial',
    'max_payload: 8MB',
    'max_pending: 64MB',
    // An acknowledged message survives the death of the server at once, and a power cut after this interval.
    `jetstream { store_dir: ${JSON.stringify(storeDir)}, sync_interval: "1s" }`,
    accounts
      ? `accounts {\n${numbers.map((k) => `  T${k} { jetstream: enabled, ${login(`t${k}`)} }`).join('\n')}\n}`
      : `authorization { ${login('perennial')} }`,
    '',
  ].join('\n');
}
