import pg from 'pg';
import { claimSlot, type Slot } from '../slot.ts';

/** A slot's database, with a connection for each of its two logins. */
export interface Logins {
  slot: Slot;
  owner: pg.Client;
  /** With the service's login. */
  app: pg.Client;
  end: () => Promise<void>;
}

export async function connectLogins(): Promise<Logins> {
  const slot = await claimSlot();
  const owner = new pg.Client({ connectionString: slot.env['DATABASE_MIGRATION_URL'] });
  const app = new pg.Client({ connectionString: slot.env['DATABASE_URL'] });
  await Promise.all([owner.connect(), app.connect()]);
  return {
    slot,
    owner,
    app,
    async end() {
      await Promise.all([owner.end(), app.end()]);
      await slot.release();
    },
  };
}

/** Tables whose rows the service can neither update nor delete. */
export const APPEND_ONLY = ['audit_log'];

export const ask = async <T extends pg.QueryResultRow>(
  client: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<T[]> => (await client.query<T>(text, values)).rows;

/** Runs `work` in a transaction that is rolled back. */
export async function rolledBack<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    return await work();
  } finally {
    await client.query('rollback');
  }
}
