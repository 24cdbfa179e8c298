import { postgresUrls, withClient } from '../../../dev/stack/postgres.ts';
import type { Slot } from '../slot.ts';

/** Copies of a slot's database, as of a data folder: taken, and put back, while no process is connected. */
export interface DatabaseCopies {
  take: () => Promise<void>;
  putBack: () => Promise<void>;
  remove: () => Promise<void>;
}

export function copiesOf(slot: Slot): DatabaseCopies {
  const url = new URL(slot.env['DATABASE_MIGRATION_URL']!);
  const name = url.pathname.slice(1);
  const copy = `${name}_copy`;
  const run = (...statements: string[]): Promise<void> =>
    withClient(postgresUrls(Number(url.port), 'postgres').owner, async (client) => {
      for (const statement of statements) await client.query(statement);
    });
  const disconnect = (database: string): string[] => [
    `alter database ${database} with allow_connections false`,
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${database}'`,
  ];
  const connect = `alter database ${name} with allow_connections true`;
  const drop = (database: string): string => `drop database if exists ${database} with (force)`;
  return {
    take: () =>
      run(drop(copy), ...disconnect(name), `create database ${copy} template ${name} strategy file_copy`, connect),
    putBack: () => run(...disconnect(name), drop(name), `create database ${name} template ${copy} strategy file_copy`),
    remove: () => run(drop(copy)),
  };
}
