import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { contactSubject } from './subject.ts';

/** Events about one contact become events about another one, for the order of what is still to be sent too. */
export async function moveStoredEvents(
  tx: EntityManager,
  tenantId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await rows(
    tx,
    sql`update webhook_events set contact_id = ${to} where tenant_id = ${tenantId} and contact_id = ${from}`,
  );
  await rows(
    tx,
    sql`
    update webhook_deliveries set subject = ${contactSubject(to)}
    where tenant_id = ${tenantId} and subject = ${contactSubject(from)}`,
  );
}

/**
 * Erases the data of the tenant's stored events for which `isAbout` holds (a condition on contact_id and on the text
 * `told`), and what receivers answered to them. What was not delivered yet is FAILED. Returns the number of events.
 */
export async function eraseStoredEvents(
  tx: EntityManager,
  tenantId: string,
  isAbout: (event: { contactId: RawBuilder<unknown>; told: RawBuilder<unknown> }) => RawBuilder<unknown>,
): Promise<number> {
  const erased = await rows<{ id: number; day: string }>(
    tx,
    sql`
    update webhook_events set data = null
    where tenant_id = ${tenantId} and data is not null and ${isAbout({ contactId: sql`contact_id`, told: sql`data::text` })}
    returning id, day`,
  );
  // By day, so that one partition is looked into.
  for (const [day, some] of Map.groupBy(erased, (one) => one.day)) {
    await eraseDeliveries(
      tx,
      tenantId,
      day,
      some.map(({ id }) => id),
    );
  }
  return erased.length;
}

/** Ends the deliveries of a day's events, and erases what receivers answered. */
async function eraseDeliveries(
  tx: EntityManager,
  tenantId: string,
  day: string,
  events: readonly number[],
): Promise<void> {
  // Deliveries first: whoever settles one has it locked, and its attempt is visible when that is over.
  const deliveries = await rows<{ e: number; s: number }>(
    tx,
    sql`
    update webhook_deliveries set response = null, next_attempt_at = null,
      status = case when status = 'DELIVERED' then status else 'FAILED' end,
      reason = case when status in ('DELIVERED', 'FAILED') then reason else 'erased' end
    where day = ${day}::date and tenant_id = ${tenantId} and event = any(${[...events]}::bigint[])
    returning endpoint_id as e, sequence as s`,
  );
  await rows(
    tx,
    sql`
    update webhook_attempts a set response = null, error = null from json_to_recordset(${JSON.stringify(deliveries)}::json) as d(e bigint, s bigint)
    where a.endpoint_id = d.e and a.sequence = d.s and a.day = ${day}::date`,
  );
}

/** What was told to other systems about a contact, oldest first. Each endpoint numbers its own deliveries. */
export const toldAbout = (tenantId: string, contactId: number): RawBuilder<unknown> => sql`
  with sent as materialized (
    select event, day, jsonb_agg(jsonb_build_object('webhookId', endpoint_id, 'sequence', sequence, 'status', status, 'at', coalesce(last_at, at)) order by endpoint_id) as deliveries
    from webhook_deliveries where tenant_id = ${tenantId} and subject = ${contactSubject(contactId)} group by event, day
  )
  select e.event_id as "eventId", e.type, e.time as "timestamp", e.data, coalesce(s.deliveries, '[]') as deliveries
  from webhook_events e left join sent s on s.event = e.id and s.day = e.day
  where e.tenant_id = ${tenantId} and e.contact_id = ${contactId} order by e.id`;
