import { fileURLToPath } from 'node:url';
import { defineConfig, MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { sql, type RawBuilder } from 'kysely';
import pg from 'pg';
import { entities } from './entities/index.ts';
import { ENGINE_ROLE } from './entities/base.ts';
import { retried } from './errors.ts';
import { ParameterDriver } from './driver.ts';
import { removeBrokenConnections } from './remove-broken-connections.ts';
import { createPostgresSockets, type PostgresSockets } from './postgres-sockets.ts';
import { PREPARED, PreparingClient } from './preparing-client.ts';

export { sql };
export type { EntityManager, RawBuilder };
export type Orm = MikroORM;

/** int8 as a number (every id of ours is below 2^53), timestamptz as a Date, date as it is printed. */
export const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.DATE, (value) => value);

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/** Postgres settings of every connection. */
const settings = [
  'timezone=UTC',
  // Values are no business of the server's log; more about it only a superuser may set: docs/operating.md.
  'log_parameter_max_length_on_error=0',
  // A process that is silent in the middle of a transaction holds its locks no longer than this: it stands still, or its
  // machine is gone (30 s without traffic, 3 probes 10 s apart).
  'idle_in_transaction_session_timeout=5min',
  'tcp_keepalives_idle=30',
  'tcp_keepalives_interval=10',
  'tcp_keepalives_count=3',
];
export const session = { options: settings.map((setting) => `-c ${setting}`).join(' '), application_name: 'perennial' };

/** How long a request waits for a connection (`poolWaitMs`). */
export const REQUEST_WAIT_MS = 4_000;

/** How a process uses its connections to Postgres. */
export interface ConnectOptions {
  /** The most that it has at a time. */
  poolMax?: number;
  /** How long it waits for a free one before it gives up, with an error that is answered as 503; without end where it is not given. */
  poolWaitMs?: number;
  line?: PostgresSockets;
}

export function ormOptions(
  databaseUrl: string,
  { poolMax = 10, poolWaitMs = 0, line = createPostgresSockets() }: ConnectOptions = {},
) {
  return defineConfig({
    driver: ParameterDriver,
    clientUrl: databaseUrl,
    entities,
    pool: { min: 0, max: poolMax },
    // Of the URL itself MikroORM takes the login, the address and the database, and leaves the rest: whether to use TLS, and how.
    driverOptions: {
      connectionString: databaseUrl,
      ...session,
      types,
      Client: PreparingClient,
      stream: line.stream,
      onPoolCreated: removeBrokenConnections,
      connectionTimeoutMillis: poolWaitMs,
    },
    extensions: [Migrator],
    // The snapshot is what the entities said at the last migration; running migrations must not overwrite it.
    migrations: { path: MIGRATIONS, glob: '*.ts', emit: 'ts', snapshot: false, silent: true },
    flushMode: 'commit',
    // A database that is not there is a mistake in its address; it is not for the service to make another.
    ensureDatabase: false,
  });
}

/** Connects; the first query opens a connection. */
export async function connect(databaseUrl: string, options: ConnectOptions = {}): Promise<Orm> {
  return MikroORM.init(ormOptions(databaseUrl, options));
}

/** An entity manager that sees and writes one tenant, inside transactions and outside. */
export function tenantEm(orm: Orm, tenantId: string): EntityManager {
  return orm.em.fork({ session: { variables: { 'app.tenant_id': tenantId } } });
}

/** An entity manager that sees every tenant: for relay, consumers and claims, with the tenant in every key. */
export function engineEm(orm: Orm): EntityManager {
  return orm.em.fork({ session: { role: ENGINE_ROLE } });
}

/** Its connections, shared by all that use `orm`. */
export const poolOf = (orm: Orm): Promise<pg.Pool> =>
  (orm.em.getConnection() as unknown as { getNativeClient: () => Promise<pg.Pool> }).getNativeClient();

/** Throws where Postgres does not answer. */
export const ping = (orm: Orm): Promise<unknown> => orm.em.fork().execute('select 1');

/** Rows of a query in the transaction `tx` (an em that em.transactional passed in). */
export async function rows<T>(tx: EntityManager, query: RawBuilder<unknown>): Promise<T[]> {
  return (await query.execute(tx.getKysely())).rows as T[];
}

/** Put this first in a query that takes longer to plan than to run, and runs often: its connection then prepares it. */
export const preparedHint = sql.raw(PREPARED);

/** Runs `work` in a transaction that is always rolled back, and returns its result. */
export async function inRolledBackTransaction<T>(
  em: EntityManager,
  work: (tx: EntityManager) => Promise<T> | T,
): Promise<T> {
  const done: { answer?: T } = {};
  const rollBack = new Error('rolled back');
  await em
    .transactional(async (tx) => {
      done.answer = await work(tx);
      throw rollBack;
    })
    .catch((error: unknown) => {
      if (error !== rollBack) throw error;
    });
  return done.answer as T;
}

/** An entity manager that knows no entities yet, in the transaction of `em` if it is in one. */
export const freshEm = (em: EntityManager): EntityManager => em.fork({ keepTransactionContext: true });

/** A transaction that is retried a few times after a deadlock or serialization failure: `work` must be repeatable. */
export function retriedTransaction<T>(em: EntityManager, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return retried(() => freshEm(em).transactional(work));
}
