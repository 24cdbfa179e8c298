import type { RawBuilder } from 'kysely';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { timeline } from '../values/timeline.ts';
import { removeContact } from '../people/delete-contact.ts';
import { addressDigestSql } from '../../addresses/digest.ts';
import { removeFormFiles } from '../../common/kept-files.ts';
import { eraseOutbox } from './erase-outbox.ts';
import { addCounts, loadErasure, type Counts } from './erasures.ts';
import { submissionKeysOf } from '../../emails/system-mail/submission-keys.ts';
import { eraseEmails } from '../../emails/ledger/move-emails.ts';

/** An email to the person is SENDING; its outcome must be stored first. */
export class MailUnderwayError extends Error {
  override readonly name = 'MailUnderwayError';
}

async function count(tx: EntityManager, statement: RawBuilder<unknown>): Promise<number> {
  return (await rows(tx, sql`${statement} returning 1`)).length;
}

/**
 * Erases the person's data in the database and finally the contact, in one transaction; docs/decisions/0019-erasure.md
 * lists what happens to each table. Idempotent. Throws MailUnderwayError.
 */
export async function eraseRecords(em: EntityManager, tenantId: string, erasureId: number): Promise<void> {
  await em.transactional(async (tx) => {
    const done = await rows(
      tx,
      sql`select 1 from erasures where tenant_id = ${tenantId} and id = ${erasureId} and certificate -> 'erased' ? 'contacts'`,
    );
    if (done.length > 0) return;
    const { contactId, person } = await loadErasure(tx, tenantId, erasureId);
    const { contactIds, addresses, digests, pattern } = person;
    const ids = sql`${contactIds}::bigint[]`;
    const mails = await rows<{ id: number; status: string }>(
      tx,
      sql`
      select id, status from emails where tenant_id = ${tenantId} and (contact_id = any(${ids}) or lower(to_address) = any(${addresses}::text[])
        or execution_id in (select id from campaign_executions where tenant_id = ${tenantId} and contact_id = any(${ids}))
        or send_key in (${submissionKeysOf(tenantId, ids)})) order by id for no key update`,
    );
    if (mails.some(({ status }) => status === 'SENDING'))
      throw new MailUnderwayError('a mail to the contact is being delivered');
    const emailIds = sql`${mails.map(({ id }) => id)}::bigint[]`;
    const inText = (column: RawBuilder<unknown>) => sql`lower(${column}::text) ~ ${pattern}`;
    const ofPerson = sql`(contact_id = any(${ids}) or ${inText(sql`submission_data`)})`;

    const counts: Counts = {
      emails: await count(tx, eraseEmails(tenantId, emailIds)),
      emailAttempts: await count(
        tx,
        sql`update email_attempts set reply = null where tenant_id = ${tenantId} and email_id = any(${emailIds})`,
      ),
      emailEvents: await count(
        tx,
        sql`
        update email_events set ip = null, user_agent = null, url = regexp_replace(url, '[?#].*$', '') where tenant_id = ${tenantId} and email_id = any(${emailIds})`,
      ),
      // The event key is replaced too, because some systems put addresses into the ids of their reports.
      emailBounces: await count(
        tx,
        sql`
        update email_bounces set email_key = '', diagnostic = null, event_key = 'erased:' || id
        where tenant_id = ${tenantId} and (email_id = any(${emailIds}) or email_key = any(${addresses}::text[]))`,
      ),
      // Conditions, goals and awaited events tell the person's values; calls tell what their receiver answered.
      stepReasons: await count(
        tx,
        sql`
        update campaign_step_executions set reason = null where tenant_id = ${tenantId} and reason is not null
          and type in ('CONDITION', 'GOAL', 'WAIT_FOR_EVENT', 'WEBHOOK')
          and execution_id in (select id from campaign_executions where tenant_id = ${tenantId} and contact_id = any(${ids}))`,
      ),
      // Before the values, by which a submission is found. The files themselves are removed from the store afterwards.
      formFiles: await removeFormFiles(
        tx,
        tenantId,
        sql`submission_id in (select id from form_submissions where tenant_id = ${tenantId} and ${ofPerson})`,
      ),
      submissions: await count(
        tx,
        sql`
        update form_submissions set submission_data = '{}', request_key = null, ip_address = null, user_agent = null
        where tenant_id = ${tenantId} and ${ofPerson}`,
      ),
      importRejects: await count(
        tx,
        sql`update contact_import_rejects set cells = '[]' where tenant_id = ${tenantId} and ${inText(sql`cells`)}`,
      ),
      importKeys: await count(
        tx,
        sql`delete from contact_import_keys where tenant_id = ${tenantId} and email_key = any(${addresses}::text[])`,
      ),
      importUndo: await count(
        tx,
        sql`
        update contact_import_chunks set undo = jsonb_set(undo, '{updated}', (undo -> 'updated') - ${contactIds.map(String)}::text[])
        where tenant_id = ${tenantId} and undo -> 'updated' ?| ${contactIds.map(String)}::text[]`,
      ),
      // Clients may put addresses into their idempotency keys, with any text around them.
      idempotentAnswers:
        (await count(
          tx,
          sql`
        delete from idempotent_answers where tenant_id = ${tenantId} and exists (
          select 1 from unnest(${addresses}::text[]) a where strpos(lower(key || ' ' || operation), a) > 0)`,
        )) +
        (await count(
          tx,
          sql`update idempotent_answers set body = null where tenant_id = ${tenantId} and ${inText(sql`body`)}`,
        )),
      deadLetters: await count(
        tx,
        sql`
        update dead_letters set body = '', error = 'erased' where tenant_id = ${tenantId}
          and (${inText(sql`body`)} or ${inText(sql`error`)} or body ~ ${`"(contactId|recipientId)":(${contactIds.join('|')})[^0-9]`})`,
      ),
      suppressions:
        (await count(
          tx,
          sql`
        update suppressions s set email_key = 'erased:' || h.hash, source = null
        from (select id, ${sql.raw(addressDigestSql('tenant_id', 'email_key'))} as hash from suppressions where tenant_id = ${tenantId}) h
        where s.id = h.id and h.hash = any(${digests}::text[]) and not exists (
          select 1 from suppressions k where k.tenant_id = s.tenant_id and k.email_key = 'erased:' || h.hash)`,
        )) +
        (await count(
          tx,
          sql`delete from suppressions where tenant_id = ${tenantId} and email_key = any(${addresses}::text[])`,
        )),
      topicOptOuts: await count(
        tx,
        sql`
        insert into topic_opt_outs (tenant_id, email_key, topic_id, created_at)
        select h.tenant_id, 'erased:' || h.hash, h.topic_id, h.created_at
        from (select *, ${sql.raw(addressDigestSql('tenant_id', 'email_key'))} as hash from topic_opt_outs where tenant_id = ${tenantId}) h
        where h.hash = any(${digests}::text[]) on conflict do nothing`,
      ),
      optIns: await count(tx, sql`delete from opt_ins where tenant_id = ${tenantId} and contact_id = any(${ids})`),
      outboxEvents: await eraseOutbox(tx, tenantId, person),
      // Those that are not rows of contact_activities end with the contact.
      activities: (
        await rows<{ n: number }>(
          tx,
          sql`select count(*)::int as n from ${timeline} t where tenant_id = ${tenantId} and contact_id = any(${ids})`,
        )
      )[0]!.n,
      scoreChanges: await count(
        tx,
        sql`delete from score_history where tenant_id = ${tenantId} and subject = 'contact' and subject_id = any(${ids})`,
      ),
      // The reasons in a path quote the contact's values.
      simulatedPaths: await count(
        tx,
        sql`
        update campaign_simulations set result = jsonb_set(result, '{paths}', (
          select coalesce(jsonb_agg(p order by n), '[]') from jsonb_array_elements(result -> 'paths') with ordinality as kept(p, n)
          where (p ->> 'contactId')::bigint <> all(${ids})))
        where tenant_id = ${tenantId} and exists (
          select 1 from jsonb_array_elements(result -> 'paths') p where (p ->> 'contactId')::bigint = any(${ids}))`,
      ),
      memberships: await count(
        tx,
        sql`delete from segment_members where tenant_id = ${tenantId} and contact_id = any(${ids})`,
      ),
      contacts: 1,
    };
    await rows(
      tx,
      sql`
      delete from topic_opt_outs where tenant_id = ${tenantId} and ${sql.raw(addressDigestSql('tenant_id', 'email_key'))} = any(${digests}::text[])`,
    );
    await rows(tx, sql`delete from contact_activities where tenant_id = ${tenantId} and contact_id = any(${ids})`);
    await rows(tx, sql`delete from score_threshold_hits where tenant_id = ${tenantId} and contact_id = any(${ids})`);
    await rows(
      tx,
      sql`delete from analytics_contact_windows where tenant_id = ${tenantId} and contact_id = any(${ids})`,
    );
    await removeContact(tx, tenantId, contactId, 'contact_erased');
    await addCounts(tx, tenantId, erasureId, counts);
  });
}
