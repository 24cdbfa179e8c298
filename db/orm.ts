import { fileURLToPath } from 'node:url';
import { defineConfig, MikroORM, type EntityManager } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { sql, type RawBuilder } from 'kysely';
import pg from 'pg';
import { entities } from './entities/index.ts';
import { ENGINE_ROLE } from './entities/base.ts';
import { isRetryable } from './errors.ts';
import { ParameterDriver } from './driver.ts';
import { freeLost } from './free-lost.ts';
import { PREPARED, PreparingClient } from './preparing-client.ts';

export { sql };
export type { EntityManager, RawBuilder };
export type Orm = MikroORM;

/** int8 as a number (every id of ours is below 2^53), timestamptz as a Date, date as it is printed. */
export const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.DATE, (value) => value);

/** Of every connection. Values are no business of the server's log; more about it only a superuser may set: docs/operating.md. */
export const session = { options: '-c timezone=UTC -c log_parameter_max_length_on_error=0', application_name: 'perennial' };

const MIGRATIONS = fileURLToPath(new URL('./migrations', import.meta.url));

export function ormOptions(databaseUrl: string, poolMax: number) {
  return defineConfig({
    driver: ParameterDriver,
    clientUrl: databaseUrl,
    entities,
    pool: { min: 0, max: poolMax },
    driverOptions: { ...session, types, Client: PreparingClient, onPoolCreated: freeLost },
    extensions: [Migrator],
    // The snapshot is what the entities said at the last migration; running migrations must not overwrite it.
    migrations: { path: MIGRATIONS, glob: '*.ts', emit: 'ts', snapshot: false, silent: true },
    flushMode: 'commit',
    // A database that is not there is a mistake in its address; it is not for the service to make another.
    ensureDatabase: false,
  });
}

/** Connects with at most `poolMax` connections; the first query opens one. */
export async function connect(databaseUrl: string, poolMax = 10): Promise<Orm> {
  return MikroORM.init(ormOptions(databaseUrl, poolMax));
}

/** An entity manager that sees and writes one tenant, inside transactions and outside. */
export function tenantEm(orm: Orm, tenantId: string): EntityManager {
  return orm.em.fork({ session: { variables: { 'app.tenant_id': tenantId } } });
}

/** An entity manager that sees every tenant: for relay, consumers and claims, with the tenant in every key. */
export function engineEm(orm: Orm): EntityManager {
  return orm.em.fork({ session: { role: ENGINE_ROLE } });
}

/** Rows of a query in the transaction `tx` (an em that em.transactional passed in). */
export async function rows<T>(tx: EntityManager, query: RawBuilder<unknown>): Promise<T[]> {
  return (await query.execute(tx.getKysely())).rows as T[];
}

/** Begins a query that is run often and takes longer to plan than to run: its connection keeps the plan for a while. */
export const keptPlan = sql.raw(PREPARED);

const TRIES = 5;

/** A transaction that is run again, a few times, when it met others in a ring of locks: `work` must be able to begin anew. */
export async function retriedTransaction<T>(em: EntityManager, work: (tx: EntityManager) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await em.fork().transactional(work);
    } catch (error) {
      if (tries === TRIES || !isRetryable(error)) throw error;
    }
  }
}
