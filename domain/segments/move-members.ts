import { sql, type RawBuilder, type SqlBool } from 'kysely';

/** Contact ids, the first excluded and the last included. */
export interface IdRange {
  after: number;
  upTo: number;
}

/**
 * A statement that makes the members of a segment, among the contacts of a range of ids, those whom `fits`, a condition over
 * `contacts c`, holds for; its rows are the contacts that came and went. Members are asked whether they still fit, and all
 * whether they do: anti-joins would judge each once, but after many new members, before the statistics know of them, the
 * planner takes a segment for empty and joins it row by row.
 */
export function moveMembers(tenantId: string, segmentId: number, fits: RawBuilder<SqlBool>, { after, upTo }: IdRange): RawBuilder<unknown> {
  // For key share: a contact that is being deleted is waited for, and left out instead of breaking the foreign key.
  return sql`
    with gone as (
      delete from segment_members m using contacts c
      where m.tenant_id = ${tenantId} and m.segment_id = ${segmentId} and m.contact_id > ${after} and m.contact_id <= ${upTo}
        and c.tenant_id = m.tenant_id and c.id = m.contact_id and not (${fits})
      returning m.contact_id
    ), come as (
      insert into segment_members (tenant_id, segment_id, contact_id)
      select c.tenant_id, ${segmentId}::bigint, c.id from contacts c
      where c.tenant_id = ${tenantId} and c.id > ${after} and c.id <= ${upTo} and ${fits}
      for key share of c
      on conflict do nothing
      returning contact_id
    )
    select contact_id, false as entered from gone union all select contact_id, true from come`;
}
