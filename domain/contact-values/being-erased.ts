import { rows, sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';
import { AppError } from '../../lib/checks/errors.ts';

/**
 * SQL for whether a contact is being erased; `contactId` is a qualified name. Lock the contact in a statement before: one
 * that waits for the lock does not see an erasure that was requested meanwhile.
 */
export const isBeingErased = (tenantId: RawBuilder<unknown>, contactId: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`exists (select 1 from erasures being_erased where being_erased.tenant_id = ${tenantId} and being_erased.contact_id = ${contactId} and being_erased.status in ('PENDING', 'RUNNING'))`;

/** Those of these contacts that are being erased. */
export async function beingErased(em: EntityManager, contactIds: readonly number[]): Promise<Set<number>> {
  if (contactIds.length === 0) return new Set();
  const found = await rows<{ id: number }>(
    em,
    sql`
    select distinct contact_id as id from erasures
    where contact_id = any(${[...contactIds]}::bigint[]) and status in ('PENDING', 'RUNNING')`,
  );
  return new Set(found.map(({ id }) => id));
}

/**
 * Throws `conflict` if one of these contacts, whose rows are locked, is being erased: the erasure finds data by the
 * contact.
 */
export async function assertNotBeingErased(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
): Promise<void> {
  const [found] = await rows<{ id: number }>(
    tx,
    sql`
    select c.id from unnest(${[...contactIds]}::bigint[]) as c(id) where ${isBeingErased(sql`${tenantId}`, sql`c.id`)} limit 1`,
  );
  if (found) throw new AppError('conflict', `Contact ${found.id} is being erased`);
}
