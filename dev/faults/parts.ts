import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { migrate } from '../migrate.ts';
import { natsUrl, startNats } from '../nats.ts';
import { freePorts } from '../ports.ts';
import { postgresUrls, startPostgres } from '../postgres.ts';
import { pause } from '../process.ts';
import { loadSecrets } from '../secrets.ts';
import { startService, untilReady, type Service } from '../service.ts';
import { startTemporal } from '../temporal.ts';

export const ADMIN = { username: 'admin', password: 'Correct-Horse-7-Battery' };

/** A process of the service or of what it stands on. */
export interface Part {
  name: string;
  /** kill -9, and a new start as whatever supervises it would make. */
  kill(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

export interface Parts {
  url: string;
  ownerUrl: string;
  /** The lines of the sink, `recipient Message-ID time`, one for each mail that it accepted. */
  sinkLog: string;
  connections: number;
  part(name: string): Part;
  stop(): Promise<void>;
}

const TRIES = 40;

/** The whole service in processes of its own, each of which can be killed: on a folder that is removed afterwards, with nothing kept in memory alone. */
export async function startParts({ senders, connections, log }: { senders: number; connections: number; log: (line: string) => void }): Promise<Parts> {
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-faults-'));
  const [postgres = 0, nats = 0, temporal = 0, smtp = 0, api = 0] = await freePorts(5);
  const secrets = await loadSecrets(dataDir);
  const urls = postgresUrls(postgres);
  const sinkLog = join(dataDir, 'sink.log');
  const { PATH, HOME } = process.env;
  const env: Record<string, string> = {
    ...(PATH ? { PATH } : {}), ...(HOME ? { HOME } : {}), ...secrets, DATABASE_URL: urls.app, DATABASE_MIGRATION_URL: urls.owner,
    TEMPORAL_ADDRESS: `127.0.0.1:${temporal}`, NATS_URL: natsUrl(nats, 'perennial', secrets.NATS_PASSWORD), SMTP_URL: `smtp://127.0.0.1:${smtp}`,
    PORT: String(api), PUBLIC_URL: `http://127.0.0.1:${api}`, ENABLE_RATE_LIMITING: 'false', LOG_LEVEL: 'warn', SEND_CONNECTIONS: String(connections),
    ADMIN_EMAIL: 'admin@example.com', ADMIN_PASSWORD: ADMIN.password, MAIL_POSTAL_ADDRESS: '1 Example Street',
  };
  const own = (name: string, script: string, args: string[] = []) => () => startService({
    name, command: process.execPath, args: [resolve(script), ...args], env, logFile: join(dataDir, 'logs', `${name}.log`),
  });
  const running = new Map<string, { start: () => Promise<Service>; service: Service }>();
  const begin = async (name: string, start: () => Promise<Service>): Promise<void> => {
    running.set(name, { start, service: await start() });
  };
  const stop = async (): Promise<void> => {
    for (const { service } of [...running.values()].reverse()) {
      process.kill(service.pid, 'SIGCONT');
      await service.stop();
    }
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    await begin('Postgres', () => startPostgres({ dataDir, port: postgres }));
    await begin('NATS', () => startNats({ dataDir, port: nats, password: secrets.NATS_PASSWORD, log }));
    await begin('Temporal', () => startTemporal({ dataDir, port: temporal, log }));
    await begin('sink', own('sink', 'dev/faults/sink.ts', [String(smtp), sinkLog]));
    await migrate(env);
    await begin('api', own('api', 'api/server.ts'));
    await untilReady(running.get('api')!.service, async () => {
      if (!(await fetch(`http://127.0.0.1:${api}/api/v1/health`)).ok) throw new Error('not healthy yet');
    });
    await begin('relay', own('relay', 'worker/main.ts', ['--only', 'relay']));
    for (let n = 1; n <= senders; n += 1) await begin(n === 1 ? 'worker' : `worker-${n}`, own(`worker-${n}`, 'worker/main.ts', ['--only', 'temporal,intake,consumers,senders']));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: `http://127.0.0.1:${api}`, ownerUrl: urls.owner, sinkLog, connections, stop,
    part(name) {
      const entry = running.get(name)!;
      return {
        name,
        async kill() {
          process.kill(entry.service.pid, 'SIGKILL');
          await entry.service.ended;
          for (let tries = 1; ; tries += 1) {
            try {
              entry.service = await entry.start();
              return;
            } catch (error) {
              // What the killed one held, memory or a port, may be held a moment longer.
              if (tries === TRIES) throw error;
              await pause(250);
            }
          }
        },
        freeze: () => { process.kill(entry.service.pid, 'SIGSTOP'); },
        thaw: () => { process.kill(entry.service.pid, 'SIGCONT'); },
      };
    },
  };
}
