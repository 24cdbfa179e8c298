import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** A time during which a segment was BUILDING; `to` is null while it still is. */
export interface BuildWindow {
  from: Date;
  to: Date | null;
}

/**
 * When a segment was being built, of the windows that end after `from` and begin before `to`, in order. Whoever moves in
 * one of them counts as moved at its end, so that a build by pages, and one that supersedes another, is one move.
 */
export function buildWindows(
  tx: EntityManager,
  tenantId: string,
  segmentId: number,
  { from, to }: { from: Date; to: Date },
): Promise<BuildWindow[]> {
  return rows<BuildWindow>(
    tx,
    sql`
    select began_at as "from", ended_at as "to" from segment_builds
    where tenant_id = ${tenantId} and segment_id = ${segmentId} and ended_at >= ${from}::timestamptz and began_at <= ${to}::timestamptz
    union all
    select building_since, null from segments
    where tenant_id = ${tenantId} and id = ${segmentId} and building_since <= ${to}::timestamptz
    order by 1`,
  );
}
