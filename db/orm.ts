import { fileURLToPath } from 'node:url';
import { defineConfig, MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { sql, type RawBuilder } from 'kysely';
import pg from 'pg';
import { entities } from './entities/index.ts';
import { ENGINE_ROLE, TENANT_VARIABLE } from './entities/base.ts';
import type { ConnectionTurns } from './connection-turns.ts';
import { ParameterDriver, type ParameterConnection } from './driver.ts';
import { RetryingEntityManager } from './retrying-em.ts';
import { removeBrokenConnections } from './remove-broken-connections.ts';
import { createPostgresSockets, type PostgresSockets } from './postgres-sockets.ts';
import { PREPARED, PreparingClient } from './preparing-client.ts';

export { sql };
export type { EntityManager, RawBuilder };
export type Orm = MikroORM;

/** int8 as a number (all our ids are below 2^53), timestamptz as a Date, date as text. */
export const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.DATE, (value) => value);

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

/** Postgres settings of every connection. */
const settings = [
  'timezone=UTC',
  // Values must not get into the server's log. Only a superuser can restrict it further: docs/operating.md.
  'log_parameter_max_length_on_error=0',
  // Limits how long a process that is silent within a transaction holds its locks, whether it hangs or its machine is
  // gone (30 s without traffic, 3 probes 10 s apart).
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
  /** The maximum number of connections. */
  poolMax?: number;
  /** How long to wait for a free connection before failing with an error that becomes a 503; default: without limit. */
  poolWaitMs?: number;
  line?: PostgresSockets;
}

export function ormOptions(
  databaseUrl: string,
  { poolMax = 10, poolWaitMs = 0, line = createPostgresSockets() }: ConnectOptions = {},
) {
  return defineConfig({
    driver: ParameterDriver,
    entityManager: RetryingEntityManager,
    clientUrl: databaseUrl,
    entities,
    pool: { min: 0, max: poolMax },
    // MikroORM only uses the login, host and database of the URL, not whether and how to use TLS.
    driverOptions: {
      connectionString: databaseUrl,
      ...session,
      types,
      Client: PreparingClient,
      stream: line.stream,
      verify: (client: pg.PoolClient, done: (error?: Error) => void) => {
        line.check(client).then(() => done(), done);
      },
      onPoolCreated: removeBrokenConnections,
      connectionTimeoutMillis: poolWaitMs,
    },
    extensions: [Migrator],
    // The snapshot describes the entities at the last migration; running migrations must not overwrite it.
    // Each migration is a transaction of its own, so that one that is none, because it builds an index concurrently, can
    // see the tables of those before it, and does not wait for them.
    migrations: { path: MIGRATIONS, glob: '*.ts', emit: 'ts', snapshot: false, silent: true, allOrNothing: false },
    flushMode: 'commit',
    // A missing database means a mistake in the URL, so it is not created.
    ensureDatabase: false,
  });
}

/** Creates the ORM; the first query opens a connection. */
export async function connect(databaseUrl: string, options: ConnectOptions = {}): Promise<Orm> {
  return MikroORM.init(ormOptions(databaseUrl, options));
}

/** An entity manager for one tenant, inside and outside transactions. */
export function tenantEm(orm: Orm, tenantId: string): EntityManager {
  return orm.em.fork({ session: { variables: { [TENANT_VARIABLE]: tenantId } } });
}

/** An entity manager for all tenants: for the relay, consumers and claims, with the tenant in every key. */
export function engineEm(orm: Orm): EntityManager {
  return orm.em.fork({ session: { role: ENGINE_ROLE } });
}

/** The connection pool of `orm`. */
export const poolOf = (orm: Orm): Promise<pg.Pool> =>
  (orm.em.getConnection() as unknown as { getNativeClient: () => Promise<pg.Pool> }).getNativeClient();

/** The turns in which transactions of `orm` get its connections. */
export const connectionTurnsOf = (orm: Orm): ConnectionTurns => (orm.em.getConnection() as ParameterConnection).turns;

/** Throws if Postgres does not respond. */
export const ping = (orm: Orm): Promise<unknown> => orm.em.fork().execute('select 1');

/** Rows of a query in the transaction `tx` (an em that em.transactional passed in). */
export async function rows<T>(tx: EntityManager, query: RawBuilder<unknown>): Promise<T[]> {
  return (await query.execute(tx.getKysely())).rows as T[];
}

/** Put this first in a frequent query that takes longer to plan than to run: its connection then prepares it. */
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

/** An entity manager without loaded entities, in the transaction of `em` if there is one. */
export const freshEm = (em: EntityManager): EntityManager => em.fork({ keepTransactionContext: true });

/** A transaction, also within another one, without the entities that `em` has loaded. */
export function freshTransaction<T>(em: EntityManager, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  return freshEm(em).transactional(work);
}
