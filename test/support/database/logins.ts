import pg from 'pg';
import { claimSlot, type Slot } from '../slot.ts';

/** The database of a slot as its two logins see it. */
export interface Logins {
  slot: Slot;
  owner: pg.Client;
  /** What the service connects as. */
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

/** Tables of which the service can neither change nor delete a row. */
export const APPEND_ONLY = ['audit_log'];

export const ask = async <T extends pg.QueryResultRow>(
  client: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<T[]> => (await client.query<T>(text, values)).rows;

/** Runs in a transaction that is rolled back. */
export async function rolledBack<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    return await work();
  } finally {
    await client.query('rollback');
  }
}
