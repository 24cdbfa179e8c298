import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { type Filter, filterReferences } from '../../membership/filter/filter.ts';

/**
 * Throws 404 for a segment or list that filters ask for and that was deleted: they would find the contact in none, and
 * the journey would go a way that nobody chose. Event leaves ask for what happened, which remains.
 */
export async function assertSegments(tx: EntityManager, tenantId: string, filters: readonly Filter[]): Promise<void> {
  const ids = [...new Set(filters.flatMap((filter) => filterReferences(filter, '').map(({ id }) => id)))];
  if (ids.length === 0) return;
  const found = await rows<{ id: number }>(
    tx,
    sql`select id from segments where tenant_id = ${tenantId} and id = any(${ids}::bigint[])`,
  );
  const missing = ids.find((id) => !found.some((row) => row.id === id));
  if (missing !== undefined) throw notFound('segment or list', missing);
}
