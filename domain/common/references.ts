import { rows, sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';
import { assertNotInUse, type Referrer } from '../../lib/checks/errors.ts';

type ReferencedTable =
  | 'campaigns'
  | 'channel_providers'
  | 'channel_templates'
  | 'email_campaigns'
  | 'email_templates'
  | 'email_topics'
  | 'forms'
  | 'segments';

async function existing(
  tx: EntityManager,
  table: ReferencedTable,
  tenantId: string,
  ids: Iterable<number>,
  also: RawBuilder<unknown>,
  lock: RawBuilder<unknown>,
): Promise<Set<number>> {
  const wanted = [...ids];
  if (wanted.length === 0) return new Set();
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select id from ${sql.table(table)} where tenant_id = ${tenantId} and id = any(${wanted}::bigint[]) and ${also}
    order by id ${lock}`,
  );
  return new Set(found.map(({ id }) => id));
}

/** The ids of the rows that exist and meet `also`. */
export const findReferenced = (
  tx: EntityManager,
  table: ReferencedTable,
  tenantId: string,
  ids: Iterable<number>,
  also = sql`true`,
): Promise<Set<number>> => existing(tx, table, tenantId, ids, also, sql``);

/**
 * The same, and locks these rows against deletion until the transaction ends, before a reference to them is written,
 * which `deleteUnused` then finds.
 */
export const lockReferenced = (
  tx: EntityManager,
  table: ReferencedTable,
  tenantId: string,
  ids: Iterable<number>,
  also = sql`true`,
): Promise<Set<number>> => existing(tx, table, tenantId, ids, also, sql`for key share`);

/**
 * Deletes `entity`. Throws 409 `in_use` with the names of those that `readUsers` finds.
 *
 * They are read again after the deletion, which waits for the locks of `lockReferenced`. A lock of the row before it
 * would not be enough: docs/decisions/0074-deletion-and-references.md.
 */
export async function deleteUnused(
  tx: EntityManager,
  entity: object,
  readUsers: () => Promise<Referrer[]>,
): Promise<void> {
  assertNotInUse(await readUsers());
  await tx.remove(entity).flush();
  assertNotInUse(await readUsers());
}
