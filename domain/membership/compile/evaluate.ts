import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import { compileFilter } from './compile.ts';
import type { Filter } from '../filter/filter.ts';

/**
 * Returns those of the given contacts that match a filter, by one statement. Ignores contacts that do not exist. In a
 * campaign, `context` has the execution: event leaves then count from its start.
 */
export async function evaluateFilter(
  tx: EntityManager,
  tenantId: string,
  filter: Filter,
  contactIds: readonly number[],
  context?: { executionStartedAt: Date; executionId: number },
): Promise<Set<number>> {
  if (contactIds.length === 0) return new Set();
  const execution = context && { id: context.executionId, startedAt: context.executionStartedAt };
  const customFields = await customFieldTypes(tx, tenantId);
  const condition = compileFilter(filter, 'c', { customFields, ...(execution ? { execution } : {}) });
  const found = await rows<{ id: number }>(
    tx,
    sql`
    select c.id from contacts c where c.tenant_id = ${tenantId} and c.id = any(${[...contactIds]}::bigint[]) and ${condition}`,
  );
  return new Set(found.map((row) => row.id));
}
