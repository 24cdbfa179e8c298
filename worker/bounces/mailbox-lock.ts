import pg from 'pg';
import { session } from '../../db/orm.ts';

/** Advisory lock class; the key is a hash of the mailbox. */
const LOCK_CLASS = 0x7065_7262;

/**
 * Runs `work` while this process holds the lock of the mailbox; its signal aborts when the lock is lost or on `stop`.
 * It is a session lock, so that it is released when this process or its connection dies. Returns false if another
 * process holds it.
 */
export async function withMailboxLock(
  databaseUrl: string,
  mailbox: string,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<boolean> {
  const client = new pg.Client({
    connectionString: databaseUrl,
    ...session,
    application_name: 'perennial-bounces',
    keepAlive: true,
  });
  const lost = new AbortController();
  client.on('error', () => lost.abort());
  client.on('end', () => lost.abort());
  try {
    await client.connect();
    const {
      rows: [row],
    } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, hashtext($2)) as taken', [
      LOCK_CLASS,
      mailbox,
    ]);
    if (!row?.taken) return false;
    await work(AbortSignal.any([stop, lost.signal]));
    return true;
  } finally {
    await client.end().catch(() => undefined);
  }
}
