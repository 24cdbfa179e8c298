import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** A range of contact ids: excludes the first, includes the last. */
export interface IdRange {
  after: number;
  upTo: number;
}

/**
 * When a membership begins: the time of the statement, not of its transaction, which may have waited for another one
 * that moved the same contact. So memberships of a contact in a segment do not overlap.
 */
export const movedAt = sql`date_trunc('milliseconds', clock_timestamp())`;

/**
 * The part of a statement that keeps the memberships which its part `gone` removes, of which that returns all columns.
 * Whoever came and left during a build was never a member. The segments must be locked before their members are
 * removed, as by a deletion of the segment.
 */
export const keptPast = sql`
  kept as (
    insert into segment_past_members (tenant_id, segment_id, contact_id, added_at, left_at)
    select g.tenant_id, g.segment_id, g.contact_id, g.added_at, greatest(g.added_at, ${movedAt})
    from gone g join segments s on s.tenant_id = g.tenant_id and s.id = g.segment_id
    where s.building_since is null or g.added_at < s.building_since)`;

/** Ends all memberships of contacts, which the caller has locked, because they are deleted. Returns their number. */
export async function endMemberships(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
): Promise<number> {
  const ids = sql`${[...contactIds]}::bigint[]`;
  const ended = await rows(
    tx,
    sql`
    with there as materialized (
      select id from segments where tenant_id = ${tenantId}
        and id in (select segment_id from segment_members where tenant_id = ${tenantId} and contact_id = any(${ids}))
      order by id for key share
    ), gone as (
      delete from segment_members m using there
      where m.tenant_id = ${tenantId} and m.segment_id = there.id and m.contact_id = any(${ids}) returning m.*
    ), ${keptPast} select 1 from gone`,
  );
  return ended.length;
}

/**
 * Takes back what earlier builds of a segment, which this one has superseded, did to contacts of a range that are
 * members again: they never left. The caller must have locked the range.
 */
export async function restoreMembers(
  tx: EntityManager,
  tenantId: string,
  segmentId: number,
  { after, upTo }: IdRange,
  buildingSince: Date,
): Promise<void> {
  await rows(
    tx,
    sql`
    with again as (
      delete from segment_past_members p using segment_members m
      where m.tenant_id = ${tenantId} and m.segment_id = ${segmentId} and m.contact_id > ${after} and m.contact_id <= ${upTo}
        and m.added_at >= ${buildingSince}::timestamptz
        and p.tenant_id = m.tenant_id and p.contact_id = m.contact_id and p.segment_id = m.segment_id
        and p.left_at >= ${buildingSince}::timestamptz
      returning p.contact_id, p.added_at
    )
    update segment_members m set added_at = a.added_at from again a
    where m.tenant_id = ${tenantId} and m.segment_id = ${segmentId} and m.contact_id = a.contact_id`,
  );
}

/** Makes the past memberships of a contact those of another, into which it was merged. Call it when its memberships have ended. */
export async function movePastMemberships(
  tx: EntityManager,
  tenantId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await rows(
    tx,
    sql`update segment_past_members set contact_id = ${to} where tenant_id = ${tenantId} and contact_id = ${from}`,
  );
}
