import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { customFieldTypes } from '../contacts/custom-field-types.ts';
import type { Cause } from './causes.ts';
import { compileFilter } from './compile.ts';
import { dynamicSegments, type DynamicSegment } from './dynamic-segments.ts';

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
  const condition = compileFilter(filter, 'c', { customFields: await customFieldTypes(tx, tenantId) });
  // For key share: a contact that is being deleted is waited for, and left out instead of breaking the foreign key.
  const [counts] = await rows<{ added: number; removed: number }>(tx, sql`
    with fits as materialized (
      select c.id from contacts c where c.tenant_id = ${tenantId} and ${condition} for key share of c
    ), gone as (
      delete from segment_members m
      where m.tenant_id = ${tenantId} and m.segment_id = ${id} and not exists (select 1 from fits f where f.id = m.contact_id)
      returning 1
    ), come as (
      insert into segment_members (tenant_id, segment_id, contact_id)
      select ${tenantId}, ${id}::bigint, f.id from fits f on conflict do nothing
      returning 1
    )
    select (select count(*) from come) as added, (select count(*) from gone) as removed`);
  return counts!;
}
