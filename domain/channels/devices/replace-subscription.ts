import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { subscriptionDigest } from '../push/subscription-digest.ts';
import { lockMessages } from '../queue/refresh-messages.ts';

/** The former subscription of a browser. */
export type Former = { endpoint: string } | { id: number };

/** SQL for whether a row of push_subscriptions is this one, if its type is webpush. */
export const isFormer = (former: Former): RawBuilder<unknown> =>
  'id' in former ? sql`id = ${former.id}` : sql`digest = ${subscriptionDigest('webpush', former.endpoint)}`;

/**
 * Locks the messages that wait for a former subscription, before anything of a device is changed: whoever ends a
 * device while it settles a push has locked the message first. Returns their ids for `replaceSubscription`.
 */
export async function lockWaiting(tx: EntityManager, tenantId: string, former: Former): Promise<number[]> {
  const waits = sql`exists (
    select 1 from message_sends s
    where s.tenant_id = m.tenant_id and s.message_id = m.id and s.status = 'QUEUED' and s.subscription_id = d.id)`;
  const found = await rows<{ id: number }>(
    tx,
    sql`
    with d as (
      select id, contact_id from push_subscriptions where tenant_id = ${tenantId} and type = 'webpush' and ${isFormer(former)})
    select m.id from d join messages m on m.contact_id = d.contact_id
    where m.tenant_id = ${tenantId} and m.channel = 'push' and ${waits}
    union all
    select m.id from d join messages m on m.subscription_id = d.id
    where m.tenant_id = ${tenantId} and m.contact_id is null and m.channel = 'push' and ${waits}`,
  );
  if (found.length > 0) await rows(tx, lockMessages(found.map(({ id }) => ({ tenantId, id }))));
  return found.map(({ id }) => id);
}

/**
 * A browser has renewed its subscription: the former one is `replaced`, its contact gets the new one unless that has one
 * already, and of the `waiting` pushes those of that contact, or of none, go to the new one. Returns the contact of the
 * new one. A former one that is not known replaces nothing.
 */
export async function replaceSubscription(
  tx: EntityManager,
  tenantId: string,
  id: number,
  former: Former,
  waiting: readonly number[],
): Promise<number | null> {
  const [old] = await rows<{ id: number; contactId: number | null }>(
    tx,
    sql`
    update push_subscriptions set status = 'replaced', replaced_by = ${id}, updated_at = now()
    where tenant_id = ${tenantId} and type = 'webpush' and id <> ${id} and ${isFormer(former)}
    returning id, contact_id as "contactId"`,
  );
  if (!old) return null;
  const [renewed] = await rows<{ contactId: number | null }>(
    tx,
    sql`
    update push_subscriptions set contact_id = coalesce(contact_id, ${old.contactId}) where tenant_id = ${tenantId} and id = ${id}
    returning contact_id as "contactId"`,
  );
  const { contactId } = renewed!;
  if (waiting.length > 0) await moveWaiting(tx, tenantId, { waiting, from: old.id, to: id, contactId });
  return old.contactId === null ? null : contactId;
}

/** Moves what waits for a device to another one; what is meant for another contact than that of the new one stays. */
async function moveWaiting(
  tx: EntityManager,
  tenantId: string,
  { waiting, from, to, contactId }: { waiting: readonly number[]; from: number; to: number; contactId: number | null },
): Promise<void> {
  const moved = await rows<{ messageId: number }>(
    tx,
    // Without its lease, because whoever leases it has the former address.
    sql`
    update message_sends set subscription_id = ${to}, holder = null, lease_until = null, updated_at = now()
    where tenant_id = ${tenantId} and status = 'QUEUED' and id in (
      select s.id from messages m join message_sends s on s.tenant_id = m.tenant_id and s.message_id = m.id
      where m.tenant_id = ${tenantId} and m.id = any(${[...waiting]}::bigint[]) and (m.contact_id is null or m.contact_id = ${contactId})
        and s.status = 'QUEUED' and s.subscription_id = ${from}
        and not exists (
          select 1 from message_sends o where o.tenant_id = s.tenant_id and o.message_id = s.message_id and o.subscription_id = ${to})
      order by s.id for update of s)
    returning message_id as "messageId"`,
  );
  if (moved.length === 0) return;
  // The gates ask the message which device it is for, if it is for one only.
  await rows(
    tx,
    sql`
    update messages set subscription_id = ${to}, updated_at = now()
    where tenant_id = ${tenantId} and id = any(${moved.map(({ messageId }) => messageId)}::bigint[]) and subscription_id = ${from}`,
  );
}
