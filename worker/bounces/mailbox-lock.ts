import pg from 'pg';
import { session } from '../../db/orm.ts';

/** Advisory lock class; the key is a hash of the mailbox. */
const LOCK_CLASS = 0x7065_7262;

/**
 * Runs `work` while this process is the one that reads the mailbox; its signal tells that the lock was lost or `stop` came.
 * The lock is a session's, so that it is free when this process or its connection dies. Returns false where another has it.
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
