import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isNoYounger } from '../../addresses/row-age.ts';
import { lastConsent, recordConsent, suppressMarketing } from './consents.ts';

/** That a contact refused a channel, as an event told after the copy was taken to which Postgres was put back. */
export interface ToldRefusal {
  tenantId: string;
  contactId: number;
  channel: 'sms' | 'push';
  reason: string;
  /** RFC 3339. */
  at: string;
}

const BY_TEXT = ['text', 'provider'];

/**
 * Refuses texts to the contact's number, or pushes to the contact if a page said so (a device that is gone refuses by
 * itself). Nothing if the copy knows of it, or does not know the contact, whose id may be another's now. Engine `tx`.
 */
export async function refuseAsTold(
  tx: EntityManager,
  { tenantId, contactId, channel, reason, at }: ToldRefusal,
): Promise<void> {
  const [contact] = await rows<{ key: string; number: string | null }>(
    tx,
    sql`
    select email_key as key, phone_e164 as number from contacts
    where tenant_id = ${tenantId} and id = ${contactId} and ${isNoYounger(sql`created_at`, sql`${at}::timestamptz`)}`,
  );
  if (!contact) return;
  if (channel === 'push') {
    if (reason !== 'page') return;
    await rows(
      tx,
      sql`
      insert into channel_suppressions (tenant_id, channel, address, reason, source)
      values (${tenantId}, 'push', ${contact.key}, 'unsubscribed', 'page') on conflict (tenant_id, channel, address) do nothing`,
    );
    return suppressMarketing(tx, tenantId, 'push', [contactId], 'address_unsubscribed');
  }
  if (contact.number === null) return;
  if ((await lastConsent(tx, tenantId, contact.number))?.status === 'unsubscribed') return;
  await recordConsent(
    tx,
    { tenantId, requestId: null },
    {
      ...{ address: contact.number, status: 'unsubscribed', source: reason, byText: BY_TEXT.includes(reason) },
      at: new Date(at),
    },
  );
}
