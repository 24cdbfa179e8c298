import { sql, type RawBuilder } from 'kysely';
import { timeline } from '../../contact-values/timeline.ts';
import type { SimulatedContact } from './simulated-contact.ts';

/** The tables of joined sources, for simulated contacts. Whatever no contact needs is read as it is stored. */
export function simulatedParts(contacts: readonly SimulatedContact[]) {
  const has = (part: keyof SimulatedContact): boolean =>
    contacts.some((contact) => contact[part] !== undefined && contact[part] !== null);
  const given = sql`jsonb_to_recordset(${JSON.stringify(contacts)}::jsonb) as o(id bigint, columns jsonb,
    "newCompany" text, points numeric, joined bigint[], "left" bigint[], events jsonb)`;
  const stored = sql`select b.segment_id from segment_members b where b.tenant_id = c.tenant_id and b.contact_id = c.id`;
  const moved = has('joined') || has('left');
  return {
    contacts: has('columns')
      ? sql`${given} join contacts s on s.id = o.id cross join lateral jsonb_populate_record(s, coalesce(o.columns, '{}')) c`
      : sql`${given} join contacts c on c.id = o.id`,
    companies: has('newCompany')
      ? sql`left join lateral (
          select * from companies k where k.tenant_id = c.tenant_id and k.id = c.company_id
          union all
          select (jsonb_populate_record(null::companies, jsonb_build_object('name', o."newCompany"))).* where o."newCompany" is not null
        ) k on true`
      : sql`left join companies k on k.tenant_id = c.tenant_id and k.id = c.company_id`,
    score: has('points') ? sql`(coalesce(t.total, 0) + coalesce(o.points, 0))` : sql`coalesce(t.total, 0)`,
    memberships: moved
      ? sql`${stored} and b.segment_id <> all(coalesce(o."left", '{}')) union select unnest(o.joined)`
      : stored,
    events: has('events') ? withSimulated() : timeline,
  };
}

/** The stored events of a contact `c`, and the simulated ones: each is as if it had been stored. */
const withSimulated = (): RawBuilder<unknown> => sql`(
  select tenant_id, contact_id, type, occurred_at, automated, data, status from ${timeline} stored
  where stored.tenant_id = c.tenant_id and stored.contact_id = c.id
  union all
  select c.tenant_id, c.id, made.type, made.at, false, made.data, made.data ->> 'status'
  from jsonb_to_recordset(coalesce(o.events, '[]')) as made(type text, at timestamptz, data jsonb))`;
