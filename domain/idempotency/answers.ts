import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** How long a request holds its key without a sign of life: a live one extends it, a killed one's twin waits for its end. */
export const LOCK_SECONDS = 30;
const KEPT_HOURS = 24;
const SWEEP_BATCH = 1000;

/** A key as its caller used it. The same key of another caller, or for another operation, is another one. */
export interface KeyUse {
  tenantId: string;
  /** `user/{id}` or `api_key/{id}`. */
  caller: string;
  /** Method and path, up to 400 characters. */
  operation: string;
  key: string;
  requestHash: string;
  /** Made for each request: only the one that holds the key writes its answer. */
  runner: string;
}

/** `body` is '' where there is none, and null where it was not kept. */
export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string | null;
}

/** `ours`: run it. `busy`: a twin runs. `reused`: the key came with another request. Or the answer that was given. */
export type Claim = 'ours' | 'busy' | 'reused' | Answer;

const lockedUntil = sql`now() + make_interval(secs => ${sql.lit(LOCK_SECONDS)})`;
const over = sql`a.created_at <= now() - make_interval(hours => ${sql.lit(KEPT_HOURS)})`;
const atWork = sql`(a.status is null and a.locked_until > now())`;
const isKey = ({ tenantId, caller, operation, key }: KeyUse) =>
  sql`a.tenant_id = ${tenantId} and a.caller = ${caller} and a.operation = ${operation} and a.key = ${key}`;
const isHeldBy = (use: KeyUse) => sql`${isKey(use)} and a.runner = ${use.runner}::uuid and a.status is null`;

interface KeyRow {
  isSame: boolean;
  isFree: boolean;
  status: number | null;
  headers: Record<string, string>;
  body: string | null;
}

/**
 * Takes a key that is new, whose answer is older than 24 hours, or whose holder has gone without an answer; the last
 * only for the same request. Else says what stands in the way. Waits for nothing.
 */
export async function claimKey(em: EntityManager, use: KeyUse): Promise<Claim> {
  return em.transactional(async (tx) => {
    const isSame = sql`a.request_hash = ${use.requestHash}`;
    const isFree = sql`(not ${atWork} and (${over} or (a.status is null and ${isSame})))`;
    const [found] = await rows<KeyRow>(tx, sql`
      select ${isSame} as "isSame", ${isFree} as "isFree", status, headers, body from idempotent_answers a where ${isKey(use)}`);
    if (found && !found.isFree) {
      if (!found.isSame) return 'reused';
      return found.status === null ? 'busy' : { status: found.status, headers: found.headers, body: found.body };
    }
    const taken = await rows(tx, sql`
      insert into idempotent_answers as a (tenant_id, caller, operation, key, request_hash, runner, locked_until)
      values (${use.tenantId}, ${use.caller}, ${use.operation}, ${use.key}, ${use.requestHash}, ${use.runner}::uuid, ${lockedUntil})
      on conflict (tenant_id, caller, operation, key) do update set request_hash = excluded.request_hash, runner = excluded.runner,
        locked_until = excluded.locked_until, status = null, headers = null, body = null, created_at = excluded.created_at
      where ${isFree}
      returning 1`);
    return taken.length > 0 ? 'ours' : 'busy';
  });
}

/** Holds the key for another LOCK_SECONDS. */
export async function extendClaim(em: EntityManager, use: KeyUse): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`update idempotent_answers a set locked_until = ${lockedUntil} where ${isHeldBy(use)}`));
}

/** Keeps the answer for whoever repeats the request; changes nothing if another has taken the key over. */
export async function keepAnswer(em: EntityManager, use: KeyUse, { status, headers, body }: Answer): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`
    update idempotent_answers a set status = ${status}, headers = ${JSON.stringify(headers)}::jsonb, body = ${body} where ${isHeldBy(use)}`));
}

/** Frees the key, as if it had not been used. */
export async function releaseKey(em: EntityManager, use: KeyUse): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`delete from idempotent_answers a where ${isHeldBy(use)}`));
}

/** Drops answers of all tenants that are older than 24 hours; answers how many, at most a batch. Engine transaction. */
export async function sweepAnswers(em: EntityManager): Promise<number> {
  const swept = await em.transactional((tx) => rows(tx, sql`
    delete from idempotent_answers where (tenant_id, caller, operation, key) in (
      select tenant_id, caller, operation, key from idempotent_answers a where ${over} and not ${atWork}
      order by created_at limit ${SWEEP_BATCH} for update skip locked)
    returning 1`));
  return swept.length;
}
