import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { lockContacts } from '../../contacts/values/lock-contacts.ts';
import type { Entry } from '../definition/entry.ts';

/**
 * Whether a contact has had as much marketing mail as a cap allows, so that one more of this template must not go. Mail that
 * was never to go out does not count. The contact is locked: two journeys at once do not each send the last one allowed.
 */
export async function isCapped(
  tx: EntityManager, tenantId: string, to: { contactId: number; templateId: number }, cap: Entry['frequencyCap'],
): Promise<boolean> {
  if (!cap) return false;
  await lockContacts(tx, tenantId, [to.contactId]);
  const [found] = await rows<{ n: number; marketing: boolean }>(tx, sql`
    select count(*) as n,
      exists (select 1 from email_templates t where t.tenant_id = ${tenantId} and t.id = ${to.templateId} and t.category = 'marketing') as marketing
    from emails m join email_templates t on t.tenant_id = m.tenant_id and t.id = m.template_id
    where m.tenant_id = ${tenantId} and m.contact_id = ${to.contactId} and t.category = 'marketing' and m.status not in ('SUPPRESSED', 'FAILED')
      and m.created_at > now() - make_interval(days => ${cap.perDays})`);
  return found!.marketing && found!.n >= cap.maxEmails;
}

/** Takes a mail of this transaction out of the queue again, for its cap. */
export async function suppressCapped(tx: EntityManager, tenantId: string, emailId: number): Promise<void> {
  await rows(tx, sql`
    update emails set status = 'SUPPRESSED', reason = 'frequency_cap', accepted_at = null where tenant_id = ${tenantId} and id = ${emailId}`);
}
