import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Origin } from '../../../events/outbox.ts';
import type { ContactStatus } from '../../contact-values/contact-values.ts';
import { languageOf, type Language } from '../../../lib/text/languages.ts';
import { upsertSystemTemplate } from '../../emails/templates/keep-system-template.ts';
import { queueEmails } from '../../emails/ledger/queue-emails.ts';
import { OPT_IN_DAYS, optInKey, optInTemplate } from './opt-in-mail.ts';

/** Limits the emails to a contact, however often a form is submitted. */
const MINUTES_BETWEEN = 15;
const MAILS_A_DAY = 5;

/** The statuses that a confirmed opt-in changes to active. Bounces and complaints remain. */
export const CONFIRMABLE: readonly ContactStatus[] = ['pending', 'unsubscribed'];

export interface OptInRequest {
  contactId: number;
  formId: number;
  /** The list to join on confirmation. */
  listId: number | null;
  /** The visitor's language; a contact's own locale has priority. */
  language: Language;
}

/**
 * Asks a contact to confirm its address and returns true; returns false if the contact does not need to or cannot
 * confirm. The caller has locked the contact's row in `tx`. If an email was sent too recently, sends none: the link in
 * that one confirms this request too.
 */
export async function requestOptIn(
  tx: EntityManager,
  origin: Origin,
  { contactId, formId, listId, language }: OptInRequest,
): Promise<boolean> {
  const { tenantId, requestId } = origin;
  const [contact] = await rows<{ status: ContactStatus; locale: string | null }>(
    tx,
    sql`
    select status, locale from contacts where tenant_id = ${tenantId} and id = ${contactId}`,
  );
  if (!contact || !CONFIRMABLE.includes(contact.status)) return false;
  const mayMail = await isMailDue(tx, tenantId, contactId);
  // If no email is sent, one open request of a form is enough.
  const [asked] = await rows<{ id: number }>(
    tx,
    sql`
    insert into opt_ins (tenant_id, contact_id, form_id, list_id)
    select ${tenantId}, ${contactId}::bigint, ${formId}::bigint, ${listId}::bigint
    where ${mayMail} or not exists (
      select 1 from opt_ins where tenant_id = ${tenantId} and contact_id = ${contactId} and form_id = ${formId} and list_id is not distinct from ${listId}::bigint
        and confirmed_at is null and requested_at > now() - make_interval(days => ${OPT_IN_DAYS}))
    returning id`,
  );
  if (!mayMail || !asked) return true;
  const spoken = languageOf(contact.locale ?? '') ?? language;
  const templateId = await upsertSystemTemplate(tx, tenantId, optInKey(spoken), optInTemplate(spoken));
  await queueEmails(tx, tenantId, [
    {
      sendKey: `opt_in:${asked.id}`,
      templateId,
      contactId,
      // Anybody can cause any number of them, which must not delay the emails of accounts.
      lane: 'journey',
      data: { optInId: asked.id },
      requestId,
      accepted: true,
    },
  ]);
  return true;
}

/** Whether the limits allow an email. An email whose link was already used to confirm does not delay the next. */
async function isMailDue(tx: EntityManager, tenantId: string, contactId: number): Promise<boolean> {
  const [sent] = await rows<{ today: number; lately: number }>(
    tx,
    sql`
    select count(*) as today, count(*) filter (where created_at > now() - make_interval(mins => ${MINUTES_BETWEEN}) and not exists (
      select 1 from opt_ins o where o.tenant_id = m.tenant_id and o.contact_id = m.contact_id and 'opt_in:' || o.id = m.send_key and o.confirmed_at is not null)) as lately
    from emails m where tenant_id = ${tenantId} and contact_id = ${contactId} and send_key like 'opt\\_in:%' and created_at > now() - interval '1 day'`,
  );
  return sent!.lately === 0 && sent!.today < MAILS_A_DAY;
}
