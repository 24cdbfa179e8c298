import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { keptPast, movedAt, type IdRange } from './past-members.ts';

/**
 * A statement that adds the contacts of a range that match `fits` (a condition on `contacts c`) to a segment without
 * members in the range. The caller must have locked the range against deletes and other evaluations.
 */
export function addMembers(
  tenantId: string,
  segmentId: number,
  fits: RawBuilder<SqlBool>,
  { after, upTo }: IdRange,
): RawBuilder<unknown> {
  return sql`
    insert into segment_members (tenant_id, segment_id, contact_id, added_at)
    select c.tenant_id, ${segmentId}::bigint, c.id, ${movedAt} from contacts c
    where c.tenant_id = ${tenantId} and c.id > ${after} and c.id <= ${upTo} and ${fits}`;
}

/**
 * Like `addMembers`, for a segment that may have members in the range: also removes those that no longer match. Returns
 * the contacts that entered and left. Evaluates the filter for the members and again for all contacts. Anti-joins would
 * evaluate it once per contact, but after many new members, until statistics are updated, the planner takes a segment
 * for empty and joins it row by row.
 */
export function moveMembers(
  tenantId: string,
  segmentId: number,
  fits: RawBuilder<SqlBool>,
  { after, upTo }: IdRange,
): RawBuilder<unknown> {
  return sql`
    with gone as (
      delete from segment_members m using contacts c
      where m.tenant_id = ${tenantId} and m.segment_id = ${segmentId} and m.contact_id > ${after} and m.contact_id <= ${upTo}
        and c.tenant_id = m.tenant_id and c.id = m.contact_id and not (${fits})
      returning m.*
    ), ${keptPast}, come as (
      ${addMembers(tenantId, segmentId, fits, { after, upTo })} on conflict do nothing returning contact_id
    )
    select contact_id, false as entered from gone union all select contact_id, true from come`;
}
