import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { runMigrations } from '../migrate.ts';
import { localAccounts, natsUrl, startNats } from '../stack/nats.ts';
import { freePorts } from '../stack/ports.ts';
import { removeData } from '../stack/postgres-place.ts';
import { postgresUrls, startPostgres } from '../stack/postgres.ts';
import { pause, signal } from '../process.ts';
import { loadSecrets } from '../stack/secrets.ts';
import { makeFakePlaces, type FakeName, type FakePlace } from './fake-places.ts';
import { startService, untilReady, type Service } from '../service.ts';
import { startTemporal } from '../stack/temporal.ts';

export const ADMIN = { username: 'admin', password: 'Correct-Horse-7-Battery' };

/** A process of the service or of its infrastructure. */
export interface Part {
  name: string;
  /** kill -9, and a restart like a supervisor's; `meanwhile` is done before that. */
  kill: (meanwhile?: () => Promise<void>) => Promise<void>;
  freeze: () => void;
  thaw: () => void;
}

export interface Parts {
  /** The folder of all data. */
  dataDir: string;
  url: string;
  ownerUrl: string;
  /** The settings of the service's processes. */
  env: NodeJS.ProcessEnv;
  /** The sink's log: a line `recipient Message-ID time link` for each accepted email. */
  sinkLog: string;
  /** SEND_IN_DOUBT: the most emails that a kill of a worker may leave UNKNOWN. */
  inDoubt: number;
  /** Where the fakes are. */
  fakes: Record<FakeName, FakePlace>;
  /** How often parts ended without being killed. */
  crashes: () => number;
  part: (name: string) => Part;
  stop: () => Promise<void>;
}

const TRIES = 40;
const PAUSE_MS = 250;

/** A process that is restarted whenever it ends, as by a supervisor. */
interface Kept {
  service: Service;
  /** Resolves when a new process has replaced the next one that ends; rejects if none could be started. */
  next: Promise<void>;
  /** What is done before the next start. */
  meanwhile?: (() => Promise<void>) | undefined;
}

/**
 * Runs the whole service in separate processes that can be killed, in a folder that is removed afterwards, with all
 * data on disk.
 */
export async function startParts({
  senders,
  connections,
  inDoubt,
  apart = false,
  webhooks = false,
  fakes = null,
  log,
}: {
  senders: number;
  connections: number;
  inDoubt: number;
  /** Emails are accepted and sent by a process of their own, `sender`, so that no kill of a worker delays them. */
  apart?: boolean;
  /** A process of its own, `webhooks`, delivers webhooks, also to loopback. */
  webhooks?: boolean;
  /** A text gateway, FCM and a push service of others run too, which can be killed; the service may call them. */
  fakes?: { slowMs: number } | null;
  log: (line: string) => void;
}): Promise<Parts> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-faults-'));
  const [postgres = 0, nats = 0, temporal = 0, smtp = 0, api = 0] = await freePorts(5);
  const secrets = await loadSecrets(dataDir);
  const urls = postgresUrls(postgres);
  const sinkLog = join(dataDir, 'sink.log');
  const { PATH, HOME } = process.env;
  const env: Record<string, string> = {
    ...(PATH ? { PATH } : {}),
    ...(HOME ? { HOME } : {}),
    ...secrets,
    DATABASE_URL: urls.app,
    DATABASE_MIGRATION_URL: urls.owner,
    TEMPORAL_ADDRESS: `127.0.0.1:${temporal}`,
    NATS_URL: natsUrl(nats, 'perennial', secrets.NATS_PASSWORD),
    SMTP_URL: `smtp://127.0.0.1:${smtp}`,
    PORT: String(api),
    PUBLIC_URL: `http://127.0.0.1:${api}`,
    ENABLE_RATE_LIMITING: 'false',
    LOG_LEVEL: 'warn',
    SEND_CONNECTIONS: String(connections),
    SEND_IN_DOUBT: String(inDoubt),
    ADMIN_EMAIL: 'admin@example.com',
    ADMIN_PASSWORD: ADMIN.password,
    MAIL_POSTAL_ADDRESS: '1 Example Street',
    ...(webhooks || fakes ? { OUTBOUND_ALLOW: '127.0.0.1/32' } : {}),
    ...(fakes ? { MESSAGE_CONNECTIONS: String(connections) } : {}),
  };
  const places = await makeFakePlaces(dataDir);
  const own =
    (name: string, script: string, args: string[] = []) =>
    () =>
      startService({
        name,
        command: process.execPath,
        args: [resolve(script), ...args],
        env,
        logFile: join(dataDir, 'logs', `${name}.log`),
      });
  const running = new Map<string, Kept>();
  const killed = new Set<Service>();
  let [stopping, crashes] = [false, 0];
  const follow = async (name: string, kept: Kept, start: () => Promise<Service>): Promise<void> => {
    const how = await kept.service.ended;
    if (stopping) return;
    if (!killed.delete(kept.service)) {
      crashes += 1;
      log(`${name} ended by itself (${how})`);
      await pause(PAUSE_MS);
    }
    await kept.meanwhile?.();
    kept.meanwhile = undefined;
    for (let tries = 1; !stopping; tries += 1) {
      try {
        kept.service = await start();
        break;
      } catch (error) {
        // The previous process may hold memory or a port a little longer.
        if (tries === TRIES) {
          log(`${name} does not start again`);
          throw error;
        }
        await pause(PAUSE_MS);
      }
    }
    if (stopping) return kept.service.stop();
    keep(name, kept, start);
  };
  const keep = (name: string, kept: Kept, start: () => Promise<Service>): void => {
    kept.next = follow(name, kept, start);
    // `kill` reports the error.
    kept.next.catch(() => {});
  };
  const begin = async (name: string, start: () => Promise<Service>): Promise<void> => {
    const kept: Kept = { service: await start(), next: Promise.resolve() };
    keep(name, kept, start);
    running.set(name, kept);
  };
  const stop = async (): Promise<void> => {
    stopping = true;
    for (const kept of [...running.values()].reverse()) {
      signal(kept.service.pid, 'SIGCONT');
      await kept.service.stop();
      await kept.next.catch(() => {});
    }
    await removeData(dataDir);
  };
  try {
    await begin('Postgres', () => startPostgres({ dataDir, port: postgres }));
    await begin('NATS', () => startNats({ dataDir, port: nats, accounts: [localAccounts(secrets, false)], log }));
    await begin('Temporal', () => startTemporal({ dataDir, port: temporal, log }));
    await begin('sink', own('sink', 'dev/faults/sink.ts', [String(smtp), sinkLog]));
    if (fakes)
      for (const [name, { args }] of Object.entries(places))
        await begin(name, own(name, 'dev/fakes/run.ts', [...args, '--slow', String(fakes.slowMs)]));
    await runMigrations(env);
    await begin('api', own('api', 'api/server.ts'));
    await untilReady(running.get('api')!.service, async () => {
      if (!(await fetch(`http://127.0.0.1:${api}/api/v1/health`)).ok) throw new Error('not healthy yet');
    });
    await begin('relay', own('relay', 'worker/main.ts', ['--only', 'relay']));
    for (let n = 1; n <= senders; n += 1)
      await begin(
        n === 1 ? 'worker' : `worker-${n}`,
        own(`worker-${n}`, 'worker/main.ts', ['--only', `temporal,consumers${apart ? '' : ',intake,senders'}`]),
      );
    if (apart) await begin('sender', own('sender', 'worker/main.ts', ['--only', 'intake,senders']));
    if (webhooks) await begin('webhooks', own('webhooks', 'worker/main.ts', ['--only', 'webhooks']));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    dataDir,
    url: `http://127.0.0.1:${api}`,
    ownerUrl: urls.owner,
    env,
    sinkLog,
    inDoubt,
    fakes: places,
    stop,
    crashes: () => crashes,
    part(name) {
      const kept = running.get(name)!;
      return {
        name,
        async kill(meanwhile) {
          while (kept.service.hasEnded()) await kept.next;
          kept.meanwhile = meanwhile;
          const { next } = kept;
          killed.add(kept.service);
          signal(kept.service.pid, 'SIGKILL');
          await next;
        },
        freeze: () => {
          signal(kept.service.pid, 'SIGSTOP');
        },
        thaw: () => {
          signal(kept.service.pid, 'SIGCONT');
        },
      };
    },
  };
}
