import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/**
 * Locks the filters of the tenant's segments (their references to each other, and which builds wait for which) until
 * the transaction ends. Must be taken before the lock of any segment's row. Does not block changes of contacts.
 */
export async function lockDefinitions(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtext('segments of ' || ${tenantId}::text), -1)`);
}
