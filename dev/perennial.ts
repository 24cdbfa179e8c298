import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { envSettings } from '../config/env-schema.ts';
import { followWarnings } from './stack/log-tail.ts';
import { runMigrations } from './migrate.ts';
import { assertFree } from './stack/ports.ts';
import { withClient } from './stack/postgres.ts';
import { rotateLogs, startService, untilReady, type Service } from './service.ts';
import { adminLogin, localDefaults, type StartSettings } from './settings.ts';
import { portsOf, startStack, type Stack } from './stack/stack.ts';
import { keepRunning, type Supervised } from './supervise.ts';

export interface PerennialOptions {
  root: string;
  dataDir: string;
  settings: StartSettings;
  log: (line: string) => void;
  spawned: (service: Service) => void;
  /** Called when the API or a worker refuses its settings, with what it says. */
  refused: (message: string) => void;
}

/** The stack with an API and workers. Its methods are called in this order; `stop` at any time. */
export interface Perennial {
  startParts: () => Promise<void>;
  startProcesses: () => Promise<void>;
  /** Lines for the user: the URLs, and the Admin login if the database was empty. */
  table: () => [string, string][];
  /** The Admin login created by this start, even if the start failed later. */
  adminShown: () => string | undefined;
  /** The settings of the API and the workers; empty before `startProcesses`. */
  env: () => NodeJS.ProcessEnv;
  /** Those of them with which further processes may work beside these. */
  shared: () => Record<string, string>;
  stop: () => Promise<void>;
}

const HEALTH_TIMEOUT_MS = 120_000;
const ROTATE_MS = 5_000;

/**
 * The roles of each worker process on a machine with so many cores. An event loop uses one core: with four, journeys and
 * emails need not wait for the consumers of events. With two, which Postgres and NATS use too, a second process costs
 * more than it gains (docs/performance.md).
 */
export function workerRoles(cores: number): string[] {
  const consuming = 'intake,consumers,relay';
  const sending = 'senders,webhooks';
  if (cores >= 8) return ['temporal', sending, consuming];
  return cores >= 4 ? [`temporal,${sending}`, consuming] : [`temporal,${sending},${consuming}`];
}

/** Assembles what `npm start` runs, without starting anything yet. */
export function createPerennial({ root, dataDir, settings, log, spawned, refused }: PerennialOptions): Perennial {
  const { host, apiPort, url, metricsPort, ports, external, given } = settings;
  const running: Supervised[] = [];
  const following: (() => void)[] = [];
  const workers = workerRoles(availableParallelism()).map((roles, n) => ({
    roles,
    metricsPort: metricsPort && metricsPort + n,
  }));
  let stack: Stack | undefined;
  let env: NodeJS.ProcessEnv = {};
  let admin: string | undefined;
  let stopped = false;

  async function startProcess(
    name: string,
    logName: string,
    args: string[],
    env: NodeJS.ProcessEnv,
  ): Promise<Supervised> {
    const logFile = join(dataDir, 'logs', `${logName}.log`);
    const options = { name, command: process.execPath, args, cwd: root, env, logFile, spawned };
    const supervised = await keepRunning({ name, start: () => startService(options), log, onRefused: refused });
    running.push(supervised);
    if (stopped) await supervised.stop();
    return supervised;
  }

  return {
    async startParts() {
      const own = [{ port: apiPort, what: 'the API', setting: 'PORT' }];
      for (const { metricsPort: port } of workers)
        if (port) own.push({ port, what: "a worker's metrics", setting: 'WORKER_HEALTH_PORT' });
      await assertFree([...portsOf({ ports, external }), ...own]);
      const listenersSend = (given.ENABLE_MULTI_TENANT ?? 'false') === 'false';
      stack = await startStack({ dataDir, ports, external, listenersSend, log, spawned });
      const rotation = setInterval(() => rotate(join(dataDir, 'logs'), log), ROTATE_MS);
      rotation.unref();
      following.push(() => clearInterval(rotation));
    },
    async startProcesses() {
      if (!stack) throw new Error('The parts come first');
      env = { ...localDefaults(url), ...stack.env, ...given };
      log('Migrating the database …');
      await runMigrations(env);
      if (stopped) return;
      if (await isEmpty(env.DATABASE_MIGRATION_URL)) {
        const login = adminLogin(given);
        Object.assign(env, login.env);
        admin = login.shown;
      }
      log('Starting the API and the workers …');
      const processes = await Promise.all([
        startProcess('api', 'api', ['api/server.ts'], env),
        ...workers.map(({ roles, metricsPort: port }) =>
          startProcess(`worker (${roles})`, 'worker', ['worker/main.ts', '--only', roles], {
            ...env,
            WORKER_HEALTH_PORT: String(port),
          }),
        ),
      ]);
      const [held] = await Promise.all(
        processes.map((process) => untilReady(process.current(), () => isUp(host, apiPort), HEALTH_TIMEOUT_MS)),
      );
      if (held) log(`HELD: ${held}`);
      for (const name of ['api', 'worker'])
        following.push(followWarnings(join(dataDir, 'logs', `${name}.log`), name, log));
    },
    table() {
      const rows: [string, string][] = [
        ['API', `${url}/api/v1`],
        ['Documentation', `${url}/docs, ${url}/docs/events`],
      ];
      if (stack?.pages.temporal) rows.push(['Temporal UI', stack.pages.temporal]);
      if (stack?.listenerUrl) rows.push(['NATS', `${stack.listenerUrl}  (to listen to events)`]);
      if (stack?.pages.mail) rows.push(['Mail', stack.pages.mail]);
      rows.push([
        'Metrics',
        [
          `${url}/metrics`,
          ...workers.flatMap(({ metricsPort: port }) => (port ? [`http://localhost:${port}/metrics (worker)`] : [])),
        ].join(', '),
      ]);
      rows.push(['Data and logs', dataDir]);
      if (stack?.postgresData) rows.push(['Postgres data', stack.postgresData]);
      if (admin) rows.push(['Admin login', admin]);
      return rows;
    },
    adminShown: () => admin,
    env: () => env,
    shared: () => {
      const all = { ...env, PORT: String(apiPort), WORKER_HEALTH_PORT: String(metricsPort) };
      return Object.fromEntries(Object.entries(all).filter(([name, value]) => isShared(name) && value));
    },
    async stop() {
      stopped = true;
      // They drain into the parts, so the parts are stopped last.
      await Promise.all(running.map((process) => process.stop()));
      for (const unfollow of following) unfollow();
      await stack?.stop();
    },
  };
}

/** A full disk is no reason to end. */
function rotate(folder: string, log: (line: string) => void): void {
  try {
    rotateLogs(folder);
  } catch (error) {
    log(`The logs could not be rotated: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Whether processes beside `npm start` get a setting: those of the first Admin and of migrations are needed only once. */
const isShared = (name: string): boolean =>
  name === 'NODE_ENV' || (name in envSettings && !name.startsWith('ADMIN_') && name !== 'DATABASE_MIGRATION_URL');

async function isEmpty(migrationUrl = ''): Promise<boolean> {
  const { rowCount } = await withClient(migrationUrl, (client) => client.query('SELECT 1 FROM users LIMIT 1'));
  return rowCount === 0;
}

/**
 * Whether all that was started works. What the comparison of rows with workflows last found, perhaps before a long stop,
 * says nothing about that.
 */
export function isRunning({ workflows: _, ...components }: Record<string, { status: string }>): boolean {
  const statuses = Object.values(components).map(({ status }) => status);
  return statuses.length > 0 && statuses.every((status) => status === 'UP');
}

/** Checks the address that the API listens on; 0.0.0.0 and :: lead to this machine too. Returns why the service is held, if it is. */
async function isUp(host: string, port: number): Promise<string | null> {
  const request = get({ host, port, path: '/api/v1/health', agent: false, signal: AbortSignal.timeout(5_000) });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const body = await text(response);
  const { components = {} } = JSON.parse(body) as {
    components?: Record<string, { status: string; detail?: string }>;
  };
  // Held: the workers wait for `npm run restored`, which needs the parts.
  if (components.restore?.detail) return components.restore.detail;
  if (!isRunning(components)) throw new Error(`health is ${body}`);
  return null;
}
