import { createHash } from 'node:crypto';
import { rows, sql, type EntityManager } from '../../db/orm.ts';

const KEPT_HOURS = 24;
const DELETE_BATCH = 1000;

/** One use of an idempotency key. Keys are separate for each caller and operation. */
export interface KeyUse {
  tenantId: string;
  /** `user/{id}` or `api_key/{id}`. */
  caller: string;
  /** Method and path, up to 400 characters. */
  operation: string;
  key: string;
  requestHash: string;
}

/** `body` is '' if there is none, and null if it was not stored. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

/** `new`: no answer is stored for the key. `reused`: the key was used with another request. Else the stored answer. */
export type StoredAnswer = 'new' | 'reused' | Answer;

const expired = sql`a.created_at <= now() - make_interval(hours => ${sql.lit(KEPT_HOURS)})`;

/** The advisory lock for a key: a 64-bit hash. Two keys with the same hash only block each other. */
const lockOf = ({ tenantId, caller, operation, key }: KeyUse): string =>
  createHash('sha256')
    .update(JSON.stringify([tenantId, caller, operation, key]))
    .digest()
    .readBigInt64BE()
    .toString();

/** Looks up the stored answer for a key and this request. */
export async function findAnswer(
  tx: EntityManager,
  { tenantId, caller, operation, key, requestHash }: KeyUse,
): Promise<StoredAnswer> {
  const [found] = await rows<Answer & { isSame: boolean }>(
    tx,
    sql`
    select request_hash = ${requestHash} as "isSame", status, headers, body from idempotent_answers a
    where tenant_id = ${tenantId} and caller = ${caller} and operation = ${operation} and key = ${key} and not ${expired}`,
  );
  if (!found) return 'new';
  if (!found.isSame) return 'reused';
  return { status: found.status, headers: found.headers, body: found.body };
}

/**
 * Locks a key until the transaction ends, even if the process dies. Never waits: returns `busy` if another transaction
 * holds the lock, else the stored answer for the key.
 */
export async function lockKey(tx: EntityManager, use: KeyUse): Promise<StoredAnswer | 'busy'> {
  const [lock] = await rows<{ taken: boolean }>(
    tx,
    sql`select pg_try_advisory_xact_lock(${lockOf(use)}::bigint) as taken`,
  );
  // Another statement: its snapshot must be younger than the lock, to see what the last holder committed.
  return lock!.taken ? findAnswer(tx, use) : 'busy';
}

/** Stores the answer for repeated requests. Returns false if an unexpired answer is already stored for the key. */
export async function storeAnswer(tx: EntityManager, use: KeyUse, { status, headers, body }: Answer): Promise<boolean> {
  const { tenantId, caller, operation, key, requestHash } = use;
  const kept = await rows(
    tx,
    sql`
    insert into idempotent_answers as a (tenant_id, caller, operation, key, request_hash, status, headers, body)
    values (${tenantId}, ${caller}, ${operation}, ${key}, ${requestHash}, ${status}, ${JSON.stringify(headers)}::jsonb, ${body})
    on conflict (tenant_id, caller, operation, key) do update set request_hash = excluded.request_hash, status = excluded.status,
      headers = excluded.headers, body = excluded.body, created_at = excluded.created_at
    where ${expired}
    returning 1`,
  );
  return kept.length > 0;
}

/** Deletes a batch of expired answers (over 24 hours old) of all tenants. Returns how many. Engine transaction. */
export async function deleteExpiredAnswers(em: EntityManager): Promise<number> {
  const deleted = await em.transactional((tx) =>
    rows(
      tx,
      sql`
    delete from idempotent_answers where (tenant_id, caller, operation, key) in (
      select tenant_id, caller, operation, key from idempotent_answers a where ${expired} order by created_at limit ${DELETE_BATCH} for update skip locked)
    returning 1`,
    ),
  );
  return deleted.length;
}
