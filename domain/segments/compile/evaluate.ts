import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { customFieldTypes } from '../../contacts/values/custom-field-types.ts';
import { compileFilter } from './compile.ts';
import type { Filter } from '../filter/filter.ts';

/**
 * Which of these contacts a filter holds for, in one statement; contacts that do not exist are not among them. In a
 * campaign `context` names the execution that asks: event leaves then count from its start.
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
