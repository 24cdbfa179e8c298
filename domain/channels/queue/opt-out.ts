import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent } from '../../../events/outbox.ts';
import { erasedKey } from '../../addresses/digest.ts';
import { suppressTextsTo } from './suppress-texts.ts';

interface Decision {
  status: string;
  byText: boolean;
}

/** The last decision about texts to a number. */
async function lastDecision(tx: EntityManager, tenantId: string, number: string): Promise<Decision | undefined> {
  const keys = [number, erasedKey(tenantId, number)];
  const [last] = await rows<Decision>(
    tx,
    sql`
    select status, by_text as "byText" from text_consents where tenant_id = ${tenantId} and address = any(${keys}::text[])
    order by id desc limit 1`,
  );
  return last;
}

/** How a number decided: by a text to us, or by one to the provider, which keeps a list and not the text. */
type Said = { source: 'text'; text: string } | { source: 'provider'; text: null };

const decide = (tx: EntityManager, tenantId: string, number: string, status: string, { source, text }: Said) =>
  rows(
    tx,
    sql`
    insert into text_consents (tenant_id, address, status, source, by_text, text)
    values (${tenantId}, ${number}, ${status}, ${source}, true, ${text})`,
  );

interface NumberKey {
  tenantId: string;
  number: string;
}

/** Decisions of numbers by texts are taken one after the other. */
export async function lockNumbers(tx: EntityManager, numbers: readonly NumberKey[]): Promise<void> {
  const keys = numbers.map(({ tenantId, number }) => ({ t: tenantId, n: number }));
  await rows(
    tx,
    sql`
    select pg_advisory_xact_lock(hashtext('texts of ' || t), hashtext(n)) from (
      select distinct t, n from jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as a(t text, n text) order by t, n) one`,
  );
}

/** The contacts that have a number. */
export const ownersOf = (tx: EntityManager, tenantId: string, number: string) =>
  rows<{ id: number }>(
    tx,
    sql`select id from contacts where tenant_id = ${tenantId} and phone_e164 = ${number} order by id`,
  );

/**
 * Opts a number, which is locked (`lockNumbers`), out of marketing texts, because it said so. What has opted it out
 * before, otherwise than by a text, stays: no text can undo that. What is QUEUED to it is suppressed. Returns the events
 * to write: none if it was opted out before.
 */
export async function optOut(
  tx: EntityManager,
  { tenantId, number }: NumberKey,
  contactIds: readonly number[],
  said: Said,
): Promise<NewEvent[]> {
  const isNew = (await lastDecision(tx, tenantId, number))?.status !== 'unsubscribed';
  if (isNew) await decide(tx, tenantId, number, 'unsubscribed', said);
  await suppressTextsTo(tx, tenantId, number, contactIds);
  return isNew ? eventsOf('CHANNEL_UNSUBSCRIBED', contactIds, said) : [];
}

const eventsOf = (
  type: 'CHANNEL_SUBSCRIBED' | 'CHANNEL_UNSUBSCRIBED',
  contactIds: readonly number[],
  { source }: Said,
): NewEvent[] => contactIds.map((contactId) => ({ type, data: { contactId, channel: 'sms', reason: source } }));

/**
 * Opts the numbers of texts out that are on the provider's own list of opt-outs. They get there only by a text to the
 * provider, so START undoes it, as it does there. The messages are locked. Writes to the outbox, so call it last.
 */
export async function optOutAtProvider(
  tx: EntityManager,
  texts: readonly { tenantId: string; messageId: number }[],
  requestId: string | null = null,
): Promise<void> {
  if (texts.length === 0) return;
  const payload = JSON.stringify(texts.map(({ tenantId, messageId }) => ({ t: tenantId, m: messageId })));
  const numbers = await rows<NumberKey>(
    tx,
    sql`
    select distinct m.tenant_id as "tenantId", m.to_address as number
    from jsonb_to_recordset(${payload}::jsonb) as a(t text, m bigint)
    join messages m on m.tenant_id = a.t and m.id = a.m where m.channel = 'sms' and m.to_address is not null`,
  );
  await lockNumbers(tx, numbers);
  for (const { tenantId, number } of numbers) {
    const contactIds = (await ownersOf(tx, tenantId, number)).map(({ id }) => id);
    const events = await optOut(tx, { tenantId, number }, contactIds, { source: 'provider', text: null });
    await appendEvents(tx, { tenantId, requestId }, events);
  }
}

/**
 * Undoes the opt-out of a number by a text, also where the provider keeps a list of such. Any other opt-out stays.
 * Returns the events to write: none if there was no opt-out.
 */
export async function undoOptOut(
  tx: EntityManager,
  { tenantId, number }: NumberKey,
  contactIds: readonly number[],
  text: string,
): Promise<NewEvent[]> {
  const said: Said = { source: 'text', text };
  const last = await lastDecision(tx, tenantId, number);
  const isOut = last?.status === 'unsubscribed';
  if (isOut && !last.byText) return [];
  const lifted = await rows(
    tx,
    sql`
    delete from channel_suppressions where tenant_id = ${tenantId} and channel = 'sms'
      and address = any(${[number, erasedKey(tenantId, number)]}::text[])
      and reason = 'unsubscribed' and source = 'provider' returning id`,
  );
  if (isOut) await decide(tx, tenantId, number, 'subscribed', said);
  return isOut || lifted.length > 0 ? eventsOf('CHANNEL_SUBSCRIBED', contactIds, said) : [];
}
