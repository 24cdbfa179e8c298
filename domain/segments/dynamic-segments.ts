import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { causesOf, type Cause } from './causes.ts';
import { isGroup, type Filter } from './filter.ts';

export interface DynamicSegment {
  id: number;
  name: string;
  version: number;
  filter: Filter;
  status: 'BUILDING' | 'READY';
  build: number;
  /** While BUILDING: contacts up to this id are judged, and when it began. */
  builtTo: number | null;
  sweptAt: Date | null;
  /** What its verdicts hang on; `segment:7` stands for segment 7 itself. */
  causes: Set<Cause>;
  leaves: number;
  /** 0 when it names no dynamic segment, else one more than those that it names. */
  depth: number;
}

/** The tenant's dynamic segments, each after those that it names. */
export async function dynamicSegments(tx: EntityManager, tenantId: string): Promise<DynamicSegment[]> {
  const found = await rows<Omit<DynamicSegment, 'causes' | 'leaves' | 'depth'>>(tx, sql`
    select id, name, version, filter, status, build, built_to as "builtTo", swept_at as "sweptAt"
    from segments where tenant_id = ${tenantId} and type = 'dynamic' order by id`);
  return byDepth(found.map((row) => ({ ...row, causes: causesOf(row.filter).add(`segment:${row.id}`), leaves: countLeaves(row.filter), depth: 0 })));
}

function countLeaves(filter: Filter): number {
  return isGroup(filter) ? filter.conditions.reduce((sum, condition) => sum + countLeaves(condition), 0) : 1;
}

/** What is saved has no rings; one would be cut at some place, not followed for ever. */
function byDepth(segments: DynamicSegment[]): DynamicSegment[] {
  const seen = new Set<DynamicSegment>();
  const visit = (segment: DynamicSegment): number => {
    if (seen.has(segment)) return segment.depth;
    seen.add(segment);
    const named = segments.filter((other) => segment.causes.has(`member:${other.id}`));
    segment.depth = Math.max(0, ...named.map((other) => visit(other) + 1));
    return segment.depth;
  };
  segments.forEach(visit);
  return segments.sort((a, b) => a.depth - b.depth || a.id - b.id);
}
