import { preparedHint, rows, sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';

/**
 * Building a segment evaluates contacts in ranges of RANGE ids. Each range uses one of LOCKS advisory locks: shared by
 * transactions that change contacts in it, exclusive while a build evaluates them.
 */
const RANGE = 16_384;
const LOCKS = 64;

const keyOf = (tenantId: string) => sql`hashtext('contacts of ' || ${tenantId}::text)`;
const everyLock = sql`generate_series(0, ${sql.lit(LOCKS - 1)}) as l(n)`;

/**
 * Locks these contacts until the transaction ends and returns the existing ones, ascending. Call it before changing a
 * contact or evaluating its membership in segments: in id order, to avoid deadlocks, and before reading which segments
 * exist, because a build relies on all later transactions seeing its segment.
 */
export async function lockContacts(tx: EntityManager, tenantId: string, ids: readonly number[]): Promise<number[]> {
  // The count makes Postgres take the locks of the ranges before those of the rows.
  const found = await rows<{ id: number }>(
    tx,
    sql`${preparedHint}
    with ranges as materialized (${lockRangesOf(tenantId, sql`select id from unnest(${[...ids]}::bigint[]) as id`)})
    select id from contacts
    where (select count(locked) from ranges) > 0 and tenant_id = ${tenantId} and id = any(${[...ids]}::bigint[])
    order by id for no key update`,
  );
  return found.map((row) => row.id);
}

/**
 * SQL that takes the locks of the ranges of contacts that the statement inserts: `ids` is SQL for a query of their
 * column `id`. Nobody else can lock the contacts themselves. Read the result, or Postgres will not take them.
 */
export const lockRangesOf = (tenantId: string, ids: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select pg_advisory_xact_lock_shared(${keyOf(tenantId)}, n) as locked
  from (select distinct (id / ${sql.lit(RANGE)} % ${sql.lit(LOCKS)})::int as n from (${ids}) listed order by 1) l`;

/** Locks the id range that contains `id` exclusively until the transaction ends. Returns the range's last id. */
export async function lockRange(tx: EntityManager, tenantId: string, id: number): Promise<number> {
  const range = Math.floor(id / RANGE);
  await rows(tx, sql`select pg_advisory_xact_lock(${keyOf(tenantId)}, ${range % LOCKS}::int)`);
  return (range + 1) * RANGE - 1;
}

/** Blocks all pages of segment builds until the transaction ends. */
export async function blockSegmentBuilds(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock_shared(${keyOf(tenantId)}, n) from ${everyLock}`);
}

/** Locks all contacts of the tenant exclusively until the transaction ends. */
export async function lockAllContacts(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(${keyOf(tenantId)}, n) from ${everyLock}`);
}

/** Waits for all transactions that hold locks on contacts now; blocks new ones only for a moment. */
export async function awaitContactWriters(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(
    tx,
    sql`select pg_advisory_lock(${keyOf(tenantId)}, n), pg_advisory_unlock(${keyOf(tenantId)}, n) from ${everyLock}`,
  );
}
