import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { addressDigestSql } from '../../addresses/digest.ts';
import { strictnessOf } from '../../delivery/gates/strictness.ts';
import { setSuppressed } from '../queue/suppress-messages.ts';
import { inboundTextsOf, inboundTextsTo, withoutContacts, type Reached } from './reached.ts';

/** A message to the person is SENDING; its outcome must be stored first. */
export class MessageUnderwayError extends Error {
  override readonly name = 'MessageUnderwayError';
}

type Counts = Record<string, number>;

/** A condition on a message to the person that was queued after `messagesOf` looked. */
export const lateMessagesOf = ({ contactIds, numbers }: Reached): RawBuilder<unknown> =>
  sql`(contact_id = any(${contactIds}::bigint[])
    or contact_id is null and to_address is not null and to_address = any(${numbers}::text[])) and reason is distinct from 'erased'`;

/**
 * Locks messages with their sends and erases what tells of the person; QUEUED ones become SUPPRESSED, or UNKNOWN if a
 * provider may have accepted them. Throws MessageUnderwayError.
 */
export async function eraseMessages(tx: EntityManager, tenantId: string, which: RawBuilder<unknown>): Promise<Counts> {
  const found = await rows<{ id: number }>(
    tx,
    sql`select id from messages where tenant_id = ${tenantId} and ${which} order by id for no key update`,
  );
  const ids = sql`${found.map(({ id }) => id)}::bigint[]`;
  // After the messages, as senders do.
  const sends = await rows<{ id: number; status: string }>(
    tx,
    sql`select id, status from message_sends where tenant_id = ${tenantId} and message_id = any(${ids}) order by id for no key update`,
  );
  if (sends.some(({ status }) => status === 'SENDING'))
    throw new MessageUnderwayError('a message to the contact is being sent');
  const sendIds = sql`${sends.map(({ id }) => id)}::bigint[]`;
  const change = (statement: RawBuilder<unknown>) => changed(tx, statement);
  await change(sql`
    update message_sends set ${setSuppressed('erased')} where tenant_id = ${tenantId} and id = any(${sendIds}) and status = 'QUEUED'`);
  await change(sql`
    update message_sends set reason = 'erased', provider_message_id = null, holder = null, lease_until = null, updated_at = now()
    where tenant_id = ${tenantId} and id = any(${sendIds})`);
  await change(sql`
    update message_reports set provider_message_id = null where tenant_id = ${tenantId} and send_id = any(${sendIds})`);
  return {
    messages: await change(sql`
      update messages set to_address = null, content = null, data = null, subscription_id = null, reason = 'erased', updated_at = now(),
        status = case when status <> 'QUEUED' then status when exists (
          select 1 from message_sends s where s.tenant_id = messages.tenant_id and s.message_id = messages.id and s.status = 'UNKNOWN')
          then 'UNKNOWN' else 'SUPPRESSED' end
      where tenant_id = ${tenantId} and id in (select id from messages where tenant_id = ${tenantId} and id = any(${ids}) order by id for update)`),
    messageAttempts: await change(
      sql`update message_attempts set reply = null where tenant_id = ${tenantId} and send_id = any(${sendIds})`,
    ),
    messageLinks: await change(
      sql`delete from message_links where tenant_id = ${tenantId} and message_id = any(${ids})`,
    ),
    messageClicks: await change(sql`
      update message_clicks set ip = null, user_agent = null, url = regexp_replace(url, '[?#].*$', '')
      where tenant_id = ${tenantId} and message_id = any(${ids})`),
  };
}

/** Erases what the contact, which is locked, received and subscribed, and the addresses of its decisions. */
export async function eraseChannels(tx: EntityManager, tenantId: string, person: Reached): Promise<Counts> {
  const ids = sql`${person.contactIds}::bigint[]`;
  const change = (statement: RawBuilder<unknown>) => changed(tx, statement);
  // Texts of a number that other contacts had too are also theirs.
  const alone = sql`${inboundTextsOf(person)} and contact_ids <@ ${ids}`;
  return {
    inboundTexts:
      (await change(sql`delete from inbound_texts where tenant_id = ${tenantId} and ${alone}`)) +
      (await change(sql`
        update inbound_texts set contact_ids = ${withoutContacts(person.contactIds)}
        where tenant_id = ${tenantId} and ${inboundTextsTo(person.contactIds)}`)),
    pushSubscriptions: await change(
      sql`delete from push_subscriptions where tenant_id = ${tenantId} and contact_id = any(${ids})`,
    ),
    ...(await eraseDecisions(tx, tenantId, person)),
  };
}

/** Decisions outlive the person: their addresses become digests. */
async function eraseDecisions(tx: EntityManager, tenantId: string, person: Reached): Promise<Counts> {
  const { numbers, numberDigests, digests } = person;
  const change = (statement: RawBuilder<unknown>) => changed(tx, statement);
  const hash = sql.raw(addressDigestSql('tenant_id', 'address'));
  const isOf = (hashes: readonly string[]) =>
    sql`tenant_id = ${tenantId} and address not like 'erased:%' and ${hash} = any(${hashes}::text[])`;
  const both = [...digests, ...numberDigests];
  const channelHashes = sql`case channel when 'sms' then ${numberDigests}::text[] else ${digests}::text[] end`;
  const isSuppression = sql`tenant_id = ${tenantId} and address not like 'erased:%' and ${hash} = any(${channelHashes})`;
  // What an earlier erasure left is replaced: the stricter suppression holds, and the later one of other decisions.
  await change(sql`
    update channel_suppressions d set reason = k.reason, source = k.source
    from channel_suppressions k
    where d.id in (select id from channel_suppressions where ${isSuppression}) and k.tenant_id = d.tenant_id and k.channel = d.channel
      and k.address = 'erased:' || ${sql.raw(addressDigestSql('d.tenant_id', 'd.address'))}
      and ${strictnessOf(sql`k.reason`)} > ${strictnessOf(sql`d.reason`)}`);
  await change(sql`
    delete from channel_suppressions k where k.tenant_id = ${tenantId} and exists (
      select 1 from (select channel, 'erased:' || ${hash} as kept from channel_suppressions where ${isSuppression}) d
      where d.kept = k.address and d.channel = k.channel)`);
  await change(sql`
    delete from channel_preferences k where k.tenant_id = ${tenantId} and address in (
      select 'erased:' || ${hash} from channel_preferences where ${isOf(both)})`);
  await change(sql`delete from opt_out_notices where tenant_id = ${tenantId} and address = any(${numbers}::text[])`);
  return {
    channelSuppressions: await change(
      sql`update channel_suppressions set address = 'erased:' || ${hash} where ${isSuppression}`,
    ),
    // The evidence names the person; when and how it decided does not.
    textConsents: await change(
      sql`update text_consents set address = 'erased:' || ${hash}, text = null, ip = null where ${isOf(numberDigests)}`,
    ),
    channelPreferences: await change(
      sql`update channel_preferences set address = 'erased:' || ${hash} where ${isOf(both)}`,
    ),
  };
}

const changed = async (tx: EntityManager, statement: RawBuilder<unknown>): Promise<number> =>
  (await rows(tx, sql`${statement} returning 1`)).length;
