import { access, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'nats';
import { findBinary } from '../binaries.mjs';
import { natsConfig, type NatsAccounts, type NatsLogin } from './nats-config.ts';
import type { Secrets } from './secrets.ts';
import { makePrivate, startService, untilReady, type Service } from '../service.ts';

export interface NatsOptions {
  /** Called as soon as the process exists, long before it is ready. */
  spawned?: (service: Service) => void;
  /** Contains the folders `nats` and `logs`. */
  dataDir: string;
  port: number;
  accounts: NatsAccounts[];
  /** For temporary data, which a stop does not save. */
  volatile?: boolean;
  log: (line: string) => void;
}

/** Starts nats-server with JetStream on disk, on loopback. Ready when JetStream responds. */
export async function startNats({ dataDir, port, accounts, volatile, log, spawned }: NatsOptions): Promise<Service> {
  const folder = join(dataDir, 'nats');
  const configFile = join(folder, 'nats.conf');
  const storeDir = join(folder, 'jetstream');
  makePrivate(folder);
  await adoptGlobalAccount(storeDir, accounts[0]!.service.account);
  // Left by one that was killed.
  for (const name of await readdir(folder)) if (name.endsWith('.ports')) await rm(join(folder, name));
  await writeFile(configFile, natsConfig({ port, portsDir: folder, storeDir, accounts }), { mode: 0o600 });
  const service = await startService({
    name: 'NATS',
    command: await findBinary('nats-server', { log }),
    args: ['--config', configFile],
    logFile: join(dataDir, 'logs', 'nats.log'),
    // A clean stop takes minutes with the streams of a whole test run.
    ...(volatile ? { stopSignal: 'SIGKILL' } : {}),
    spawned,
  });
  try {
    await untilReady(service, () => askJetStream(port, accounts[0]!.service));
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/** The URL of NATS with credentials. */
export function natsUrl(port: number, user: string, password: string): string {
  return `nats://${user}:${password}@127.0.0.1:${port}`;
}

/** The accounts of an installation. */
export function localAccounts(secrets: Secrets, listenersSend: boolean): NatsAccounts {
  return {
    service: { account: 'PERENNIAL', user: 'perennial', password: secrets.NATS_PASSWORD },
    listener: { account: 'LISTENERS', user: 'listener', password: secrets.NATS_LISTENER_PASSWORD },
    listenersSend,
  };
}

/** Isolated accounts for tests: users t1 … tN with the listeners l1 … lN. */
export function testAccounts(count: number, password: string): NatsAccounts[] {
  return Array.from({ length: count }, (_, index) => ({
    service: { account: `T${index + 1}`, user: `t${index + 1}`, password },
    listener: { account: `L${index + 1}`, user: `l${index + 1}`, password },
    listenersSend: true,
  }));
}

/**
 * Earlier releases had no accounts and kept all streams in the server's global one: moves them to the service's
 * account.
 */
async function adoptGlobalAccount(storeDir: string, account: string): Promise<void> {
  const [before, now] = ['$G', account].map((name) => join(storeDir, 'jetstream', name));
  const isThere = (path: string) =>
    access(path).then(
      () => true,
      () => false,
    );
  if ((await isThere(before!)) && !(await isThere(now!))) await rename(before!, now!);
}

/** So much room lets JetStream go on. */
const ROOM_BYTES = 4 * 1024 ** 2;

/**
 * Whether a stream takes nothing more though its disk has room again: after a write that failed, nats-server refuses all
 * to that stream until it is started again.
 */
export async function hasBrokenStream(service: Service, dataDir: string): Promise<boolean> {
  const folder = join(dataDir, 'nats');
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize < ROOM_BYTES) return false;
  const ports = await readFile(join(folder, `nats-server_${service.pid}.ports`), 'utf8');
  const [monitoring] = (JSON.parse(ports) as { monitoring: string[] }).monitoring;
  const health = await fetch(`${monitoring}/healthz?details=true`, { signal: AbortSignal.timeout(2_000) });
  const { errors = [] } = (await health.json()) as { errors?: { type: string; error: string }[] };
  return errors.some(({ type, error }) => type === 'STREAM' && error.includes('write error'));
}

async function askJetStream(port: number, { user, password: pass }: NatsLogin): Promise<void> {
  const connection = await connect({ servers: `127.0.0.1:${port}`, user, pass, reconnect: false, timeout: 2_000 });
  try {
    const manager = await connection.jetstreamManager();
    await manager.getAccountInfo();
  } finally {
    await connection.close();
  }
}
