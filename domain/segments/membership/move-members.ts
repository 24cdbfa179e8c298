import { sql, type RawBuilder, type SqlBool } from 'kysely';

/** Contact ids, the first excluded and the last included. */
export interface IdRange {
  after: number;
  upTo: number;
}

/**
 * A statement that makes the contacts of a range whom `fits`, a condition over `contacts c`, holds for members of a segment
 * that has none among them. The caller keeps the range to itself: nobody in it is being deleted, or judged by others.
 */
export function addMembers(
  tenantId: string,
  segmentId: number,
  fits: RawBuilder<SqlBool>,
  { after, upTo }: IdRange,
): RawBuilder<unknown> {
  return sql`
    insert into segment_members (tenant_id, segment_id, contact_id)
    select c.tenant_id, ${segmentId}::bigint, c.id from contacts c
    where c.tenant_id = ${tenantId} and c.id > ${after} and c.id <= ${upTo} and ${fits}`;
}

/**
 * The same for a segment that may have members in the range, those who do not fit being taken out; its rows are the contacts
 * that came and went. Members are asked whether they still fit, and all whether they do: anti-joins would judge each once,
 * but after many new members, before the statistics know of them, the planner takes a segment for empty and joins it row by
 * row.
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
      returning m.contact_id
    ), come as (
      ${addMembers(tenantId, segmentId, fits, { after, upTo })} on conflict do nothing returning contact_id
    )
    select contact_id, false as entered from gone union all select contact_id, true from come`;
}
