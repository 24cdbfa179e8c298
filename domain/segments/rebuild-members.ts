import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { customFieldTypes } from '../contacts/custom-field-types.ts';
import type { Cause } from './causes.ts';
import { compileFilter } from './compile.ts';
import { dynamicSegments, type DynamicSegment } from './dynamic-segments.ts';
import { moveMembers } from './move-members.ts';

/**
 * Makes the members of a dynamic segment those whom its filter fits, by set, and answers how many came and went; then
 * those of the segments that hang on it. Building fires no events. The caller holds `lockSegments`.
 */
export async function rebuildMembers(tx: EntityManager, tenantId: string, id: number): Promise<{ added: number; removed: number }> {
  const segments = await dynamicSegments(tx, tenantId);
  const rebuilt = new Set<Cause>([`member:${id}`]);
  const counts = await rebuildOne(tx, tenantId, segments.find((segment) => segment.id === id)!);
  if (counts.added + counts.removed === 0) return counts;
  for (const segment of segments) {
    if (segment.id === id || ![...segment.causes].some((cause) => rebuilt.has(cause))) continue;
    await rebuildOne(tx, tenantId, segment);
    rebuilt.add(`member:${segment.id}`);
  }
  return counts;
}

async function rebuildOne(tx: EntityManager, tenantId: string, { id, filter }: DynamicSegment): Promise<{ added: number; removed: number }> {
  const fits = compileFilter(filter, 'c', { customFields: await customFieldTypes(tx, tenantId) });
  const [counts] = await rows<{ added: number; removed: number }>(tx, sql`
    with ${moveMembers(tenantId, id, fits)}
    select (select count(*) from come) as added, (select count(*) from gone) as removed`);
  return counts!;
}
