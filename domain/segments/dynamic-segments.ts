import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { causesOf, type Cause } from './causes.ts';
import type { Filter } from './filter.ts';

export interface DynamicSegment {
  id: number;
  name: string;
  filter: Filter;
  causes: Set<Cause>;
}

/** The tenant's dynamic segments, each after those that it names. */
export async function dynamicSegments(tx: EntityManager, tenantId: string): Promise<DynamicSegment[]> {
  const found = await rows<{ id: number; name: string; filter: Filter }>(tx, sql`
    select id, name, filter from segments where tenant_id = ${tenantId} and type = 'dynamic' order by id`);
  return inOrder(found.map((row) => ({ ...row, causes: causesOf(row.filter) })));
}

/** What is saved has no rings; one would be cut at some place, not followed for ever. */
function inOrder(segments: DynamicSegment[]): DynamicSegment[] {
  const ordered: DynamicSegment[] = [];
  const seen = new Set<DynamicSegment>();
  const visit = (segment: DynamicSegment): void => {
    if (seen.has(segment)) return;
    seen.add(segment);
    segments.filter((other) => segment.causes.has(`member:${other.id}`)).forEach(visit);
    ordered.push(segment);
  };
  segments.forEach(visit);
  return ordered;
}
