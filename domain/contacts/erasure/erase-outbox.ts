import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Person } from '../people/person.ts';

/** Whether the data of an event (`e.value` of a row of events) is about the person. */
const isAbout = ({ contactIds, pattern }: Person) => sql`(
  (e.value -> 'data' ->> 'contactId')::bigint = any(${contactIds}::bigint[]) or (e.value -> 'data' ->> 'recipientId')::bigint = any(${contactIds}::bigint[])
  or lower(e.value::text) ~ ${pattern})`;

/**
 * Removes the person's events from the outbox. Waits for rows that the relay is publishing. Returns how many it
 * removed.
 */
export async function eraseOutbox(tx: EntityManager, tenantId: string, person: Person): Promise<number> {
  const touched = await rows<{ erased: number }>(
    tx,
    sql`
    with hit as materialized (
      select o.id from outbox_events o where o.tenant_id = ${tenantId} and exists (select 1 from jsonb_array_elements(o.events) e where ${isAbout(person)}) order by o.id for update
    )
    update outbox_events o set events = coalesce((select jsonb_agg(e.value order by e.ordinality) from jsonb_array_elements(o.events) with ordinality e where not ${isAbout(person)}), '[]')
    from hit where o.id = hit.id
    returning jsonb_array_length(old.events) - jsonb_array_length(new.events) as erased`,
  );
  return touched.reduce((sum, { erased }) => sum + erased, 0);
}
