import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** Advisory lock of a tenant's dynamic segments: shared by what changes contacts, exclusive while one is built. */
const segmentsKey = (tenantId: string) => sql`hashtext('segments'), hashtext(${tenantId})`;

/**
 * Locks these contacts until the transaction ends and answers which of them exist, ascending. Whatever changes a contact,
 * or judges its membership in segments, does this first: in id order, so that no two wait in a ring, and after the shared
 * lock, because who builds a segment must not meet contacts that were judged without it.
 */
export async function lockContacts(tx: EntityManager, tenantId: string, ids: readonly number[]): Promise<number[]> {
  await shareSegments(tx, tenantId);
  const found = await rows<{ id: number }>(tx, sql`
    select id from contacts where tenant_id = ${tenantId} and id = any(${[...ids]}::bigint[]) order by id for no key update`);
  return found.map((row) => row.id);
}

/** No segment of the tenant is built until the transaction ends. */
export async function shareSegments(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock_shared(${segmentsKey(tenantId)})`);
}

/** Waits until nothing judges memberships of the tenant, and keeps it so until the transaction ends. */
export async function lockSegments(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(${segmentsKey(tenantId)})`);
}
