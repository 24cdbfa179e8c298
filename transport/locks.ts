import type pg from 'pg';

/** The class of the advisory locks by which one process at a time does something. */
const LOCK_CLASS = 0x7065_7265;

/** The keys of what one process at a time does. */
export const LOCKS = {
  outbox_events: 0,
  outbox_send_requests: 1000,
  outbox_workflows: 1001,
  /** Handles events for webhooks. */
  webhooks: 1002,
  /** Compares rows with workflows. */
  reconciliation: 1003,
  /** Lets jobs take turns. */
  jobs: 1004,
} as const;

export type LockName = keyof typeof LOCKS;

/** Takes a lock if it is free. The session holds it, so it is released when the process or its connection dies. */
export async function tryLock(client: pg.Client, name: LockName): Promise<boolean> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
    LOCK_CLASS,
    LOCKS[name],
  ]);
  return rows[0]!.taken;
}
