import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/**
 * Keeps the filters of the tenant's segments to this transaction: who names whom, and which builds wait for which. Taken
 * before the row of any segment; it keeps nobody from changing contacts.
 */
export async function lockDefinitions(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(tx, sql`select pg_advisory_xact_lock(hashtext('segments of ' || ${tenantId}::text), -1)`);
}
