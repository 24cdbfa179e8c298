import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent, type Origin } from '../../../events/outbox.ts';
import { phoneE164 } from '../../../lib/addresses/phone.ts';
import { EXPIRES_AFTER_HOURS } from '../../delivery/gates/message-gates.ts';
import { queueMessages } from '../queue/queue-messages.ts';
import { refreshMessages } from '../queue/refresh-messages.ts';
import { setSuppressed } from '../queue/suppress-messages.ts';
import { readSettings } from '../settings/settings.ts';
import { lockNumbers, optOut as optOutNumber, ownersOf, undoOptOut } from '../queue/opt-out.ts';
import { readText, type Reading } from './opt-out-words.ts';

/** A text that a provider received. */
export interface ReceivedText {
  providerId: number;
  /** The provider's id of it; what comes twice is taken once. */
  providerMessageId: string;
  from: string;
  to: string | null;
  text: string;
  /** What the provider takes it for, and has answered itself; null if it does not tell. */
  readAs: Reading['wish'];
}

/** If the tenant has no text of its own. */
const STOP_TEXT = 'You are unsubscribed and will get no more marketing texts from us. Reply START to get them again.';
/** For how long a number that was helped is not answered again. */
const HELP_MINUTES = 60;
const MOST_NUMBER = 100;
const MOST_TEXT = 10_000;

/** A received text that wants an answer. */
interface Asked {
  id: number;
  tenantId: string;
  number: string;
  providerId: number;
}

/**
 * Stores a received text, and does what it asks for: a text that opts out does so for the number, and so for all
 * contacts that have it, in this transaction. Writes to the outbox. Engine `tx`.
 */
export async function recordInbound(tx: EntityManager, origin: Origin, received: ReceivedText): Promise<void> {
  const { tenantId } = origin;
  const number = numberOf(received.from);
  const text = plain(received.text, MOST_TEXT);
  await lockNumbers(tx, [{ tenantId, number }]);
  const settings = await readSettings(tx, tenantId);
  const { optOut, wish } = reading(text, settings.stopWords, received.readAs);
  const contactIds = (await ownersOf(tx, tenantId, number)).map(({ id }) => id);
  const [stored] = await rows<{ id: number }>(
    tx,
    sql`
    insert into inbound_texts (tenant_id, provider_id, provider_message_id, from_address, to_address, text, opt_out, contact_ids)
    values (${tenantId}, ${received.providerId}, ${received.providerMessageId}, ${number}, ${received.to && plain(received.to, MOST_NUMBER)},
      ${text}, ${optOut}, ${contactIds}::bigint[])
    on conflict (tenant_id, provider_id, provider_message_id) do nothing returning id`,
  );
  if (!stored) return;
  const asked = { tenantId, number, id: stored.id, providerId: received.providerId };
  const answer =
    wish === 'stop'
      ? await stopAnswer(tx, asked, settings.stopText)
      : wish === 'help'
        ? await helpAnswer(tx, asked, settings.helpText)
        : null;
  const events: NewEvent[] = contactIds.map((contactId) => ({
    type: 'MESSAGE_RECEIVED',
    data: { inboundId: stored.id, channel: 'sms', contactId, optOut },
  }));
  if (wish === 'stop') events.push(...(await optOutNumber(tx, asked, contactIds, { source: 'text', text })));
  else if (wish === 'start') events.push(...(await undoOptOut(tx, asked, contactIds, text)));
  if (received.readAs === null && answer !== null) await queueAnswer(tx, origin, { ...asked, body: answer });
  await appendEvents(tx, origin, events);
}

/** The provider may know words that we do not: what it takes for an opt-out is one. */
function reading(text: string, stopWords: readonly string[], readAs: Reading['wish']): Reading {
  const own = readText(text, stopWords);
  return readAs === 'stop'
    ? { optOut: 'yes', wish: 'stop' }
    : own.wish === null && readAs
      ? { ...own, wish: readAs }
      : own;
}

/**
 * The number of a sender; what is none stays as it is. Some providers write a number with 00 before the country, or
 * nothing: an opt-out must not be lost by that.
 */
function numberOf(from: string): string {
  const digits = /^\s*(?:00)?([1-9][\d ().-]*)$/.exec(from)?.[1];
  return phoneE164(from) ?? (digits && phoneE164(`+${digits}`)) ?? plain(from, MOST_NUMBER);
}

/** A text that every database and phone takes. */
const plain = (text: string, most: number): string => text.replaceAll('\0', '').slice(0, most).toWellFormed().trim();

/**
 * An opt-out is answered once: not again until the number agreed to texts again. Decisions are in the order of their
 * ids; the time of one is that of its evidence, which may be long before it was told to us. An opt-out by text is a
 * decision, unless the number was opted out otherwise before.
 */
async function stopAnswer(
  tx: EntityManager,
  { tenantId, number, id }: Asked,
  stopText: string | null,
): Promise<string | null> {
  const [earlier] = await rows(
    tx,
    sql`
    with decisions as (
      select * from text_consents where tenant_id = ${tenantId} and address = ${number}
    ), agreed as (
      select id, at from decisions where status = 'subscribed' order by id desc limit 1
    ), ended as (
      select d.at, d.source, a.at as agreed_at from decisions d left join agreed a on true
      where d.status = 'unsubscribed' and d.id > coalesce(a.id, 0)
    )
    select 1 from ended where source = 'text'
    union all
    select 1 from inbound_texts i where i.tenant_id = ${tenantId} and i.from_address = ${number} and i.opt_out = 'yes' and i.id < ${id}
      and i.received_at >= (select greatest(min(at), max(agreed_at)) from ended having count(*) > 0)
    limit 1`,
  );
  return earlier ? null : (stopText ?? STOP_TEXT);
}

/**
 * A number that asks for help is answered by a provider once an hour: what answers by itself would go on for ever. An
 * answer that was not sent does not count.
 */
async function helpAnswer(
  tx: EntityManager,
  { tenantId, number, providerId }: Asked,
  helpText: string | null,
): Promise<string | null> {
  if (helpText === null) return null;
  const [earlier] = await rows(
    tx,
    sql`
    select 1 from inbound_texts i join messages m on m.tenant_id = i.tenant_id and m.send_key = 'inbound/' || i.id || '/reply'
    where i.tenant_id = ${tenantId} and i.from_address = ${number} and i.provider_id = ${providerId} and i.opt_out = 'no'
      and i.received_at > now() - make_interval(mins => ${sql.lit(HELP_MINUTES)}) and m.status not in ('SUPPRESSED', 'FAILED')
    limit 1`,
  );
  return earlier ? null : helpText;
}

/**
 * The answer is sent to the number that asked. It has no contact: otherwise it would go to whatever number the contact has
 * by then, or to none if the contact is deleted.
 */
async function queueAnswer(tx: EntityManager, { requestId }: Origin, to: Asked & { body: string }): Promise<void> {
  await queueMessages(tx, to.tenantId, [
    {
      sendKey: answerKey(to.id),
      ...{ channel: 'sms', category: 'transactional', lane: 'transactional', priority: 9 },
      // The tenant's texts are no Liquid.
      content: { body: '{{ data.text }}' },
      data: { text: to.body },
      contactId: null,
      toAddress: to.number,
      providerId: to.providerId,
      requestId,
    },
  ]);
}

/** The send key of the answer to a received text. */
const answerKey = (inboundId: number): string => `inbound/${inboundId}/reply`;

/**
 * Suppresses answers that were not sent within five minutes, less a margin for what is being prepared. One that a
 * provider may have accepted becomes UNKNOWN instead. Engine `em`.
 */
export async function expireAnswers(em: EntityManager): Promise<void> {
  await em.transactional(async (tx) => {
    const late = await rows<{ id: number; tenantId: string }>(
      tx,
      sql`
      select m.id, m.tenant_id as "tenantId" from messages m
      where m.send_key like 'inbound/%/reply' and m.status = 'QUEUED'
        and m.created_at < now() - interval '270 seconds'
        -- What is older is not sent any more.
        and m.created_at > now() - make_interval(hours => ${sql.lit(EXPIRES_AFTER_HOURS)})
      order by m.id limit 1000 for no key update`,
    );
    if (late.length === 0) return;
    const payload = JSON.stringify(late.map(({ id, tenantId }) => ({ t: tenantId, id })));
    await rows(
      tx,
      sql`
      update message_sends s set ${setSuppressed('expired')}
      from jsonb_to_recordset(${payload}::jsonb) as a(t text, id bigint)
      where s.tenant_id = a.t and s.message_id = a.id and s.status = 'QUEUED'`,
    );
    await rows(tx, refreshMessages(late));
  });
}
