import { LRUCache } from 'lru-cache';
import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { changeKindsOf, type ChangeKind } from '../filter/change-kinds.ts';
import { isGroup, type Filter } from '../filter/filter.ts';

export interface DynamicSegment {
  id: number;
  name: string;
  /** MD5 of the filter's JSON text. */
  hash: string;
  filter: Filter;
  status: 'BUILDING' | 'READY';
  build: number;
  /** While BUILDING: contacts up to this id are judged. */
  builtTo: number | null;
  /** While BUILDING: when the build began. While READY: the time of the last sweep; null if time changes nothing. */
  sweptAt: Date | null;
  /** The kinds of change that can alter its members (see `Cause`), its own `segment:{id}` included. */
  causes: Set<ChangeKind>;
  leaves: number;
  /** 0 if its filter refers to no dynamic segment; else 1 more than the deepest one that it refers to. */
  depth: number;
}

/** A cache of parsed filters by hash, per database: every change of a contact needs all filters of its tenant. */
const filterCaches = new WeakMap<object, LRUCache<string, Filter>>();
const MAX_CACHED_CHARACTERS = 30_000_000;

type Row = Omit<DynamicSegment, 'filter' | 'causes' | 'leaves' | 'depth'>;

/** The tenant's dynamic segments, sorted so that each comes after those that its filter refers to. */
export async function dynamicSegments(tx: EntityManager, tenantId: string): Promise<DynamicSegment[]> {
  const database = tx.getDriver();
  const cache =
    filterCaches.get(database) ??
    new LRUCache<string, Filter>({
      maxSize: MAX_CACHED_CHARACTERS,
      sizeCalculation: (filter) => JSON.stringify(filter).length,
    });
  filterCaches.set(database, cache);
  const columns = sql`id, name, md5(filter::text) as hash, status, build, built_to as "builtTo", swept_at as "sweptAt"`;
  const from = sql`from segments where tenant_id = ${tenantId} and type = 'dynamic' order by id`;
  const known = (await rows<Row>(tx, sql`${preparedHint}select ${columns} ${from}`)).map((row) => ({
    ...row,
    filter: cache.get(row.hash),
  }));
  if (known.every((row) => row.filter)) return byDepth(known.map((row) => withCauses({ ...row, filter: row.filter! })));
  const found = await rows<Row & { filter: Filter }>(tx, sql`select ${columns}, filter ${from}`);
  for (const { hash, filter } of found) cache.set(hash, filter);
  return byDepth(found.map(withCauses));
}

function withCauses(row: Row & { filter: Filter }): DynamicSegment {
  return {
    ...row,
    causes: changeKindsOf(row.filter).add(`segment:${row.id}`),
    leaves: countLeaves(row.filter),
    depth: 0,
  };
}

function countLeaves(filter: Filter): number {
  return isGroup(filter) ? filter.conditions.reduce((sum, condition) => sum + countLeaves(condition), 0) : 1;
}

/** Sorts by depth. Saved filters form no cycles; if there were one, the recursion would still end. */
function byDepth(segments: DynamicSegment[]): DynamicSegment[] {
  const byCause = new Map(segments.map((segment) => [`member:${segment.id}`, segment]));
  const seen = new Set<DynamicSegment>();
  const visit = (segment: DynamicSegment): number => {
    if (seen.has(segment)) return segment.depth;
    seen.add(segment);
    const named = [...segment.causes].flatMap((cause) => byCause.get(cause) ?? []);
    segment.depth = Math.max(0, ...named.map((other) => visit(other) + 1));
    return segment.depth;
  };
  segments.forEach(visit);
  return segments.sort((a, b) => a.depth - b.depth || a.id - b.id);
}
