import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { inboundTextsTo, withoutContacts } from './reached.ts';

/**
 * Moves what channels keep of one contact to another: messages, received texts and devices. A message to a number that
 * is not started yet goes to the number that the other contact has.
 */
export async function moveChannels(
  tx: EntityManager,
  tenantId: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await rows(tx, sql`update messages set contact_id = ${to} where tenant_id = ${tenantId} and contact_id = ${from}`);
  await rows(
    tx,
    sql`
    update inbound_texts set contact_ids = case when ${to} = any(contact_ids)
      then array_remove(contact_ids, ${from}::bigint) else array_replace(contact_ids, ${from}::bigint, ${to}::bigint) end
    where tenant_id = ${tenantId} and ${inboundTextsTo([from])}`,
  );
  await rows(
    tx,
    sql`
    update push_subscriptions set contact_id = ${to}, updated_at = now()
    where tenant_id = ${tenantId} and contact_id = ${from}`,
  );
}

/** Takes deleted contacts from their devices and from the texts that were received of them; they stay without them. */
export async function detachChannels(
  tx: EntityManager,
  tenantId: string,
  contactIds: readonly number[],
): Promise<void> {
  const ids = sql`${contactIds}::bigint[]`;
  await rows(
    tx,
    sql`
    update push_subscriptions set contact_id = null, updated_at = now()
    where tenant_id = ${tenantId} and contact_id = any(${ids})`,
  );
  await rows(
    tx,
    sql`
    update inbound_texts set contact_ids = ${withoutContacts(contactIds)}
    where tenant_id = ${tenantId} and ${inboundTextsTo(contactIds)}`,
  );
}
