import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { subscriptionDigest } from '../push/subscription-digest.ts';

/**
 * A browser has renewed its subscription: the former one is `replaced`, its contact gets the new one unless that has one
 * already, and pushes that wait for the former go to the new one. Returns the contact of the new one. A former one that
 * is not known replaces nothing.
 */
export async function replaceSubscription(
  tx: EntityManager,
  tenantId: string,
  id: number,
  former: { endpoint: string } | { id: number },
): Promise<number | null> {
  const which =
    'id' in former ? sql`id = ${former.id}` : sql`digest = ${subscriptionDigest('webpush', former.endpoint)}`;
  const [old] = await rows<{ id: number; contactId: number | null }>(
    tx,
    sql`
    update push_subscriptions set status = 'replaced', replaced_by = ${id}, updated_at = now()
    where tenant_id = ${tenantId} and type = 'webpush' and id <> ${id} and ${which}
    returning id, contact_id as "contactId"`,
  );
  if (!old || old.contactId === null) return null;
  const [renewed] = await rows<{ contactId: number }>(
    tx,
    sql`
    update push_subscriptions set contact_id = coalesce(contact_id, ${old.contactId}) where tenant_id = ${tenantId} and id = ${id}
    returning contact_id as "contactId"`,
  );
  if (renewed!.contactId === old.contactId)
    await rows(
      tx,
      sql`
      update message_sends set subscription_id = ${id}, updated_at = now()
      where tenant_id = ${tenantId} and status = 'QUEUED' and id in (
        select s.id from messages m join message_sends s on s.tenant_id = m.tenant_id and s.message_id = m.id
        where m.tenant_id = ${tenantId} and m.contact_id = ${old.contactId} and m.channel = 'push' and s.status = 'QUEUED' and s.subscription_id = ${old.id}
          and not exists (
            select 1 from message_sends o where o.tenant_id = s.tenant_id and o.message_id = s.message_id and o.subscription_id = ${id})
        order by s.id for update of s)`,
    );
  return renewed!.contactId;
}
