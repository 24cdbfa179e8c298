import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { ContactStatus } from './contact-values.ts';
import { erasedKey } from './erasure/digest.ts';

/** The status that a suppressed address gives to whoever has it; null when it is not suppressed. */
export async function suppressedStatus(tx: EntityManager, tenantId: string, emailKey: string): Promise<ContactStatus | null> {
  const [found] = await rows<{ reason: 'unsubscribed' | 'bounced' | 'complained' | 'manual' }>(tx, sql`
    select reason from suppressions where tenant_id = ${tenantId} and email_key = any(${[emailKey, erasedKey(tenantId, emailKey)]}::text[]) order by email_key = ${emailKey} desc limit 1`);
  if (!found) return null;
  return found.reason === 'manual' ? 'unsubscribed' : found.reason;
}

/** Suppresses the address of a contact that was unsubscribed by hand: the opt-out must outlive the contact. */
export async function suppressUnsubscribed(tx: EntityManager, tenantId: string, emailKey: string): Promise<void> {
  await rows(tx, sql`
    insert into suppressions (tenant_id, email_key, reason, source) values (${tenantId}, ${emailKey}, 'unsubscribed', 'api')
    on conflict (tenant_id, email_key) do nothing`);
}
