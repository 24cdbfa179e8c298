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

/**
 * The builds that made a contact a member of segments, by segment id: it came during one, and no event says that a change
 * of its own brought it in.
 */
export async function entryBuilds(
  tx: EntityManager,
  tenantId: string,
  contactId: number,
  segmentIds: readonly number[],
): Promise<Map<number, BuildWindow>> {
  const found = await rows<BuildWindow & { segment_id: number }>(
    tx,
    sql`
    with builds as (
      select segment_id, began_at, ended_at from segment_builds
      where tenant_id = ${tenantId} and segment_id = any(${[...segmentIds]}::bigint[])
      union all
      select id, building_since, null from segments
      where tenant_id = ${tenantId} and id = any(${[...segmentIds]}::bigint[]) and building_since is not null)
    select m.segment_id, b.began_at as "from", b.ended_at as "to"
    from segment_members m join builds b on b.segment_id = m.segment_id
      and m.added_at >= b.began_at and (b.ended_at is null or m.added_at <= b.ended_at)
    where m.tenant_id = ${tenantId} and m.contact_id = ${contactId} and not exists (
      select 1 from contact_activities a
      where a.tenant_id = ${tenantId} and a.contact_id = ${contactId} and a.type = 'SEGMENT_ENTERED'
        and a.occurred_at >= b.began_at and a.data -> 'segmentId' = to_jsonb(m.segment_id))`,
  );
  return new Map(found.map(({ segment_id, from, to }) => [segment_id, { from, to }]));
}
