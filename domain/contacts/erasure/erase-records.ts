import type { RawBuilder } from 'kysely';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { forgetContacts } from '../../analytics/contacts/sets.ts';
import { endMemberships } from '../../membership/members/past-members.ts';
import { eraseStoredEvents } from '../../webhooks/content/stored-events.ts';
import { timeline } from '../../contact-values/timeline.ts';
import { lockForRemoval, removeContact } from '../people/delete-contact.ts';
import { eraseChannels, eraseMessages, lateMessagesOf } from '../../channels/people/erase-channels.ts';
import { messagesOf } from '../../channels/people/reached.ts';
import { addressDigestSql } from '../../addresses/digest.ts';
import { removeFormFiles } from '../../common/kept-files.ts';
import { eraseOutbox } from './erase-outbox.ts';
import { eraseMails, lateMailsOf, mailsOf } from './erase-mails.ts';
import { addCounts, counted, loadErasure, type Counts } from './erasures.ts';
import type { Person } from '../people/person.ts';

/**
 * Erases the person's data in the database and finally the contact, in one transaction; docs/decisions/0019-erasure.md
 * lists what happens to each table. Idempotent. Throws MailUnderwayError, MessageUnderwayError.
 *
 * Whatever reads whole tables comes before the lock on the contact, so that its submissions do not wait for that.
 * Emails and messages are locked before the contact, as by unsubscribing; memberships, submissions and the rest after it, as by a
 * submission.
 */
export async function eraseRecords(em: EntityManager, tenantId: string, erasureId: number): Promise<void> {
  await freshTransaction(em, async (tx) => {
    const done = await rows(
      tx,
      sql`select 1 from erasures where tenant_id = ${tenantId} and id = ${erasureId} and certificate -> 'erased' ? 'contacts'`,
    );
    if (done.length > 0) return;
    const { contactId, person } = await loadErasure(tx, tenantId, erasureId);
    // A page of a replay locks it before the contacts. First of all, because a page may take minutes.
    await rows(
      tx,
      sql`select 1 from scoring_replays where tenant_id = ${tenantId} and status = 'RUNNING' order by id for no key update`,
    );
    const found = await submissionsOf(
      tx,
      tenantId,
      sql`${inText(person, sql`submission_data`)} or ${isTheirs(person)}`,
    );
    await addCounts(tx, tenantId, erasureId, await eraseWhatMentions(tx, tenantId, person, found));
    // From here on, nothing new comes to the contact; what came since the reading is found by its id.
    await lockForRemoval(tx, tenantId, contactId, 'contact_erased');
    const known = new Set(found);
    const late = (await submissionsOf(tx, tenantId, isTheirs(person))).filter((id) => !known.has(id));
    const lateMails = await eraseMails(tx, tenantId, person, lateMailsOf(tenantId, person, late));
    await addCounts(tx, tenantId, erasureId, lateMails);
    await addCounts(tx, tenantId, erasureId, await eraseMessages(tx, tenantId, lateMessagesOf(person)));
    await addCounts(tx, tenantId, erasureId, await eraseWhatIsTheirs(tx, tenantId, person, [...found, ...late]));
    await removeContact(tx, tenantId, contactId, 'contact_erased');
    await addCounts(tx, tenantId, erasureId, { contacts: 1 });
  });
}

const isTheirs = ({ contactIds }: Person) => sql`contact_id = any(${contactIds}::bigint[])`;
const inText = ({ pattern }: Person, column: RawBuilder<unknown>) => sql`lower(${column}::text) ~ ${pattern}`;

async function submissionsOf(tx: EntityManager, tenantId: string, which: RawBuilder<unknown>): Promise<number[]> {
  const found = await rows<{ id: number }>(
    tx,
    sql`select id from form_submissions where tenant_id = ${tenantId} and (${which})`,
  );
  return found.map(({ id }) => id);
}

/** Emails, messages, and everything that only mentions the person. */
async function eraseWhatMentions(
  tx: EntityManager,
  tenantId: string,
  person: Person,
  submissions: readonly number[],
): Promise<Counts> {
  const { contactIds, addresses, numbers } = person;
  const ids = sql`${contactIds}::bigint[]`;
  return {
    ...(await eraseMails(tx, tenantId, person, mailsOf(tenantId, person, submissions))),
    ...(await eraseMessages(tx, tenantId, messagesOf(person))),
    importRejects: await counted(
      tx,
      sql`update contact_import_rejects set cells = '[]' where tenant_id = ${tenantId} and ${inText(person, sql`cells`)}`,
    ),
    importKeys: await counted(
      tx,
      sql`delete from contact_import_keys where tenant_id = ${tenantId} and email_key = any(${addresses}::text[])`,
    ),
    importUndo: await counted(
      tx,
      sql`
      update contact_import_chunks set undo = jsonb_set(undo, '{updated}', (undo -> 'updated') - ${contactIds.map(String)}::text[])
      where tenant_id = ${tenantId} and undo -> 'updated' ?| ${contactIds.map(String)}::text[]`,
    ),
    // Clients may put addresses into their idempotency keys, with any text around them.
    idempotentAnswers:
      (await counted(
        tx,
        sql`
      delete from idempotent_answers where tenant_id = ${tenantId} and exists (
        select 1 from unnest(${addresses}::text[]) a where strpos(lower(key || ' ' || operation), a) > 0)`,
      )) +
      (await counted(
        tx,
        sql`
      update idempotent_answers set body = null where tenant_id = ${tenantId} and (${inText(person, sql`body`)} or exists (
        select 1 from unnest(${numbers}::text[]) n where strpos(body::text, n) > 0))`,
      )),
    deadLetters: await counted(
      tx,
      sql`
      update dead_letters set body = '', error = 'erased' where tenant_id = ${tenantId}
        and (${inText(person, sql`body`)} or ${inText(person, sql`error`)} or body ~ ${`"(contactId|recipientId)":(${contactIds.join('|')})[^0-9]`})`,
    ),
    // A link that names somebody is nobody else's. What was counted for it stays.
    links: await counted(
      tx,
      sql`delete from analytics_links where tenant_id = ${tenantId} and ${inText(person, sql`url`)}`,
    ),
    webhookBodies: await eraseStoredEvents(
      tx,
      tenantId,
      ({ contactId, told }) => sql`(${contactId} = any(${ids}) or ${inText(person, told)})`,
    ),
    // The reasons in a path quote the contact's values.
    simulatedPaths: await counted(
      tx,
      sql`
      update campaign_simulations set result = jsonb_set(result, '{paths}', (
        select coalesce(jsonb_agg(p order by n), '[]') from jsonb_array_elements(result -> 'paths') with ordinality as kept(p, n)
        where (p ->> 'contactId')::bigint <> all(${ids})))
      where tenant_id = ${tenantId} and exists (
        select 1 from jsonb_array_elements(result -> 'paths') p where (p ->> 'contactId')::bigint = any(${ids}))`,
    ),
  };
}

/** What belongs to the contact, which is locked. */
async function eraseWhatIsTheirs(
  tx: EntityManager,
  tenantId: string,
  person: Person,
  submissions: readonly number[],
): Promise<Counts> {
  const { contactIds, addresses, digests, numberDigests } = person;
  const everyDigest = [...digests, ...numberDigests];
  const ids = sql`${contactIds}::bigint[]`;
  // Of an address that was erased before, the stricter suppression stays.
  await counted(
    tx,
    sql`
      update suppressions k set reason = s.reason from suppressions s
      where s.tenant_id = ${tenantId} and s.email_key = any(${addresses}::text[]) and s.reason in ('bounced', 'complained')
        and k.tenant_id = s.tenant_id and k.email_key = 'erased:' || ${sql.raw(addressDigestSql('s.tenant_id', 's.email_key'))}
        and k.reason not in ('bounced', 'complained')`,
  );
  const counts: Counts = {
    // Conditions, goals and awaited events tell the person's values; calls tell what their receiver answered.
    stepReasons: await counted(
      tx,
      sql`
      update campaign_step_executions set reason = null where tenant_id = ${tenantId} and reason is not null
        and type in ('CONDITION', 'GOAL', 'WAIT_FOR_EVENT', 'WEBHOOK')
        and execution_id in (select id from campaign_executions where tenant_id = ${tenantId} and contact_id = any(${ids}))`,
    ),
    // Before the values, by which a submission is found. The files themselves are removed from the store afterwards.
    formFiles: await removeFormFiles(tx, tenantId, sql`submission_id = any(${submissions}::bigint[])`),
    submissions: await counted(
      tx,
      sql`
      update form_submissions set submission_data = '{}', request_key = null, ip_address = null, user_agent = null
      where tenant_id = ${tenantId} and id = any(${submissions}::bigint[])`,
    ),
    suppressions:
      (await counted(
        tx,
        sql`
      update suppressions s set email_key = 'erased:' || h.hash, source = null
      from (select id, ${sql.raw(addressDigestSql('tenant_id', 'email_key'))} as hash from suppressions where tenant_id = ${tenantId}) h
      where s.id = h.id and h.hash = any(${digests}::text[]) and not exists (
        select 1 from suppressions k where k.tenant_id = s.tenant_id and k.email_key = 'erased:' || h.hash)`,
      )) +
      (await counted(
        tx,
        sql`delete from suppressions where tenant_id = ${tenantId} and email_key = any(${addresses}::text[])`,
      )),
    topicOptOuts: await counted(
      tx,
      sql`
      insert into topic_opt_outs (tenant_id, address, topic_id, channel, created_at)
      select h.tenant_id, 'erased:' || h.hash, h.topic_id, h.channel, h.created_at
      from (select *, ${sql.raw(addressDigestSql('tenant_id', 'address'))} as hash from topic_opt_outs where tenant_id = ${tenantId}) h
      where h.hash = any(${everyDigest}::text[]) on conflict do nothing`,
    ),
    ...(await eraseChannels(tx, tenantId, person)),
    formerAddresses: await counted(
      tx,
      sql`delete from former_addresses where tenant_id = ${tenantId} and contact_id = any(${ids})`,
    ),
    optIns: await counted(tx, sql`delete from opt_ins where tenant_id = ${tenantId} and contact_id = any(${ids})`),
    outboxEvents: await eraseOutbox(tx, tenantId, person),
    // Those that are not rows of contact_activities end with the contact.
    activities: (
      await rows<{ n: number }>(
        tx,
        sql`select count(*)::int as n from ${timeline} t where tenant_id = ${tenantId} and contact_id = any(${ids})`,
      )
    )[0]!.n,
    replayedTotals: await counted(
      tx,
      sql`
      update scoring_replays p set figures = jsonb_set(figures, '{changes}', (
        select coalesce(jsonb_agg(c order by n), '[]') from jsonb_array_elements(figures -> 'changes') with ordinality as kept(c, n)
        where (c ->> 'id')::bigint <> all(${ids})))
      from scoring_rules r
      where p.tenant_id = ${tenantId} and r.tenant_id = p.tenant_id and r.id = p.rule_id and r.target = 'contact'
        and exists (select 1 from jsonb_array_elements(figures -> 'changes') c where (c ->> 'id')::bigint = any(${ids}))`,
    ),
    scoreChanges: await counted(
      tx,
      sql`delete from score_history where tenant_id = ${tenantId} and subject = 'contact' and subject_id = any(${ids})`,
    ),
    memberships: await endMemberships(tx, tenantId, contactIds),
  };
  // After the memberships, which have become some. They stay, so that the numbers of members do.
  counts['pastMemberships'] = await counted(
    tx,
    sql`update segment_past_members set contact_id = null where tenant_id = ${tenantId} and contact_id = any(${ids})`,
  );
  await rows(
    tx,
    sql`
    delete from topic_opt_outs where tenant_id = ${tenantId} and ${sql.raw(addressDigestSql('tenant_id', 'address'))} = any(${everyDigest}::text[])`,
  );
  await rows(tx, sql`delete from contact_activities where tenant_id = ${tenantId} and contact_id = any(${ids})`);
  await rows(tx, sql`delete from score_threshold_hits where tenant_id = ${tenantId} and contact_id = any(${ids})`);
  await rows(tx, sql`delete from threshold_calls where tenant_id = ${tenantId} and contact_id = any(${ids})`);
  await forgetContacts(tx, tenantId, contactIds);
  return counts;
}
