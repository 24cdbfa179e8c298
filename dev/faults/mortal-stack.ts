import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { runMigrations } from '../migrate.ts';
import { freePorts } from '../stack/ports.ts';
import { postgresUrls, startPostgres } from '../stack/postgres.ts';
import { pause } from '../process.ts';
import { startStack } from '../stack/stack.ts';
import { makeRunDir } from '../stack/test-stack.ts';

/** A temporary stack whose Postgres and worker can be killed. */
export interface MortalStack {
  env: NodeJS.ProcessEnv;
  ownerUrl: string;
  startWorker: () => void;
  /** kill -9, and waits for the end. */
  killWorker: () => Promise<void>;
  /**
   * Kills Postgres and all its backends with kill -9 and restarts it. The worker is stopped in the meantime;
   * `whileStill` runs before it resumes.
   */
  killPostgres: (whileStill: () => Promise<void>) => Promise<void>;
  stop: () => Promise<void>;
}

export async function startMortalStack(log: (line: string) => void): Promise<MortalStack> {
  const { dir, run, remove } = await makeRunDir(log);
  const [port = 0, nats = 0, temporal = 0, mail = 0] = await freePorts(4);
  const spawned: typeof run.add = (service) => run.add(service);
  // Commits survive a crash of Postgres in a volatile one too.
  const start = () => startPostgres({ dataDir: dir, port, volatile: true, spawned });
  let postgres = await start();
  const urls = postgresUrls(port);
  const ports = { postgres: port, nats, temporal, temporalUi: 0, smtp: 0, mailPage: 0 };
  const external = { DATABASE_URL: urls.app, DATABASE_MIGRATION_URL: urls.owner };
  const stack = await startStack({
    dataDir: dir,
    ports,
    log,
    external,
    test: { slots: 1 },
    spawned,
  }).catch(async (error: unknown) => {
    await postgres.stop();
    throw error;
  });
  const { PATH, HOME } = process.env;
  const env = {
    PATH,
    HOME,
    ...stack.env,
    TEMPORAL_NAMESPACE: 'test-1',
    SMTP_URL: `smtp://127.0.0.1:${mail}`,
    PUBLIC_URL: 'http://127.0.0.1',
    LOG_LEVEL: 'silent',
  };
  let worker: ChildProcess | null = null;
  const startWorker = (): void => {
    const child = spawn(process.execPath, [resolve('worker/main.ts'), '--only', 'temporal,relay'], {
      stdio: 'ignore',
      env,
    });
    worker = child;
    // Like a supervisor: a worker that ends by itself is replaced.
    child.once('exit', () => {
      if (worker === child) startWorker();
    });
  };
  const killWorker = async (): Promise<void> => {
    const child = worker;
    worker = null;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  try {
    await runMigrations(env);
  } catch (error) {
    await stack.stop();
    await postgres.stop();
    throw error;
  }
  return {
    env,
    ownerUrl: urls.owner,
    startWorker,
    killWorker,
    async killPostgres(whileStill) {
      worker?.kill('SIGSTOP');
      process.kill(postgres.pid, 'SIGKILL');
      await postgres.ended;
      for (let tries = 1; ; tries += 1) {
        try {
          postgres = await start();
          break;
        } catch (error) {
          // Its last backends may hold the shared memory a little longer.
          if (tries === 20) throw error;
          await pause(500);
        }
      }
      await whileStill();
      worker?.kill('SIGCONT');
    },
    async stop() {
      await killWorker();
      await stack.stop();
      await postgres.stop();
      await remove();
    },
  };
}
