import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { eraseEmails } from '../../emails/ledger/move-emails.ts';
import { notifiesOf, submissionKeysOf, thresholdKeysOf } from '../../emails/system-mail/notice-keys.ts';
import { counted, type Counts } from './erasures.ts';
import type { Person } from '../people/person.ts';

/** An email to the person is SENDING; its outcome must be stored first. */
export class MailUnderwayError extends Error {
  override readonly name = 'MailUnderwayError';
}

/** The ids of emails that indexes lead to: to the contact, of its journeys, and about its scores and these submissions. */
const mailsByIndex = (tenantId: string, { contactIds }: Person, submissions: readonly number[]) => sql`
  select id from emails where tenant_id = ${tenantId} and contact_id = any(${contactIds}::bigint[])
  union select id from emails where tenant_id = ${tenantId} and execution_id in (
    select id from campaign_executions where tenant_id = ${tenantId} and contact_id = any(${contactIds}::bigint[]))
  union select id from emails where tenant_id = ${tenantId} and send_key = any(${submissionKeysOf(submissions)}::text[])
  union select id from emails where tenant_id = ${tenantId} and send_key in (${thresholdKeysOf(tenantId, contactIds)})`;

/**
 * A condition on an email: it is to the person or about it. `submissions` are the person's. No index has addresses:
 * for them it reads each email of the tenant, once.
 */
export const mailsOf = (tenantId: string, person: Person, submissions: readonly number[]): RawBuilder<unknown> => sql`
  id in (${mailsByIndex(tenantId, person, submissions)} union
    select id from emails where tenant_id = ${tenantId}
      and (lower(to_address) = any(${person.addresses}::text[]) or ${notifiesOf(person.contactIds, person.addresses)}))`;

/** The same for emails that were queued after `mailsOf` looked, with the submissions that came since. */
export const lateMailsOf = (
  tenantId: string,
  person: Person,
  submissions: readonly number[],
): RawBuilder<unknown> => sql`
  id in (${mailsByIndex(tenantId, person, submissions)}) and reason is distinct from 'erased'`;

/** Locks emails and erases what tells of their recipient. Throws MailUnderwayError. */
export async function eraseMails(
  tx: EntityManager,
  tenantId: string,
  person: Person,
  which: RawBuilder<unknown>,
): Promise<Counts> {
  const mails = await rows<{ id: number; status: string }>(
    tx,
    sql`select id, status from emails where tenant_id = ${tenantId} and ${which} order by id for no key update`,
  );
  if (mails.some(({ status }) => status === 'SENDING'))
    throw new MailUnderwayError('a mail to the contact is being delivered');
  const ids = sql`${mails.map(({ id }) => id)}::bigint[]`;
  return {
    emails: await counted(tx, eraseEmails(tenantId, ids)),
    emailAttempts: await counted(
      tx,
      sql`update email_attempts set reply = null where tenant_id = ${tenantId} and email_id = any(${ids})`,
    ),
    emailEvents: await counted(
      tx,
      sql`
      update email_events set ip = null, user_agent = null, url = regexp_replace(url, '[?#].*$', '') where tenant_id = ${tenantId} and email_id = any(${ids})`,
    ),
    // The event key is replaced too, because some systems put addresses into the ids of their reports.
    emailBounces: await counted(
      tx,
      sql`
      update email_bounces set email_key = '', diagnostic = null, event_key = 'erased:' || id
      where tenant_id = ${tenantId} and (email_id = any(${ids}) or email_key = any(${person.addresses}::text[]))`,
    ),
  };
}
