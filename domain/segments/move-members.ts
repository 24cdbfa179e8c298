import { sql, type RawBuilder, type SqlBool } from 'kysely';

/**
 * The common table expressions `gone` and `come` (each with `contact_id`) that make the members of a segment those whom
 * `fits`, a condition over `contacts c`, holds for; where `ids` are given, only those contacts are looked at. Members are
 * asked whether they still fit, and all whether they do: anti-joins would judge each once, but after many new members,
 * before the statistics know of them, the planner takes a segment for empty and joins it row by row.
 */
export function moveMembers(tenantId: string, segmentId: number, fits: RawBuilder<SqlBool>, ids?: readonly number[]): RawBuilder<unknown> {
  const among = (column: 'm.contact_id' | 'c.id') => (ids ? sql`${sql.ref(column)} = any(${[...ids]}::bigint[])` : sql`true`);
  // For key share: a contact that is being deleted is waited for, and left out instead of breaking the foreign key.
  return sql`
    gone as (
      delete from segment_members m using contacts c
      where m.tenant_id = ${tenantId} and m.segment_id = ${segmentId} and ${among('m.contact_id')}
        and c.tenant_id = m.tenant_id and c.id = m.contact_id and not (${fits})
      returning m.contact_id
    ), come as (
      insert into segment_members (tenant_id, segment_id, contact_id)
      select c.tenant_id, ${segmentId}::bigint, c.id from contacts c
      where c.tenant_id = ${tenantId} and ${among('c.id')} and ${fits}
      for key share of c
      on conflict do nothing
      returning contact_id
    )`;
}
