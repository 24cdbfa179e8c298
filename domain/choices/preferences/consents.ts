import type { ConsentStatus } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent, type Origin } from '../../../events/outbox.ts';
import { erasedKey } from '../../addresses/digest.ts';
import { suppressMessages } from '../../channels/queue/suppress-messages.ts';

/** A decision about marketing texts to a number, with its evidence. */
export interface Consent {
  /** E.164. */
  address: string;
  status: ConsentStatus;
  source: string;
  /** The number itself decided, by a received text. */
  byText?: boolean;
  text?: string | null;
  ip?: string | null;
  at?: Date;
}

/** The last decision of a number, if there is one. */
export interface LastConsent {
  status: ConsentStatus;
  source: string;
  byText: boolean;
  text: string | null;
  ip: string | null;
  at: Date;
}

export async function lastConsent(tx: EntityManager, tenantId: string, address: string): Promise<LastConsent | null> {
  const [last] = await rows<LastConsent>(
    tx,
    sql`
    select status, source, by_text as "byText", text, ip, at from text_consents
    where tenant_id = ${tenantId} and address = any(${[address, erasedKey(tenantId, address)]}::text[])
    order by id desc limit 1`,
  );
  return last ?? null;
}

/**
 * When a number last opted out, for whatever reason; null if it never did. A text that opts out what was opted out
 * before is no decision of its own, but says so again.
 */
export async function lastOptOut(tx: EntityManager, tenantId: string, address: string): Promise<Date | null> {
  const [found] = await rows<{ at: Date | null }>(
    tx,
    sql`
    select greatest(
      (select max(at) from text_consents where tenant_id = ${tenantId} and status = 'unsubscribed'
        and address = any(${[address, erasedKey(tenantId, address)]}::text[])),
      (select max(received_at) from inbound_texts where tenant_id = ${tenantId} and from_address = ${address} and opt_out = 'yes')) as at`,
  );
  return found!.at;
}

/**
 * Appends a decision about marketing texts. An opt-out suppresses what is QUEUED for the contacts that have the number;
 * a text to the bare number is stopped when it is started. Returns the contacts, which events tell of the change if it
 * is one. Writes to the outbox, so call it last.
 */
export async function recordConsent(tx: EntityManager, origin: Origin, consent: Consent): Promise<number[]> {
  const { tenantId } = origin;
  const { address, status, source, byText = false, text = null, ip = null, at = null } = consent;
  const before = await lastConsent(tx, tenantId, address);
  await rows(
    tx,
    sql`
    insert into text_consents (tenant_id, address, status, source, by_text, text, ip, at)
    values (${tenantId}, ${address}, ${status}, ${source}, ${byText}, ${text}, ${ip}, coalesce(${at}::timestamptz, now()))`,
  );
  const owners = await rows<{ id: number }>(
    tx,
    sql`select id from contacts where tenant_id = ${tenantId} and phone_e164 = ${address} order by id`,
  );
  const contactIds = owners.map(({ id }) => id);
  if (status === 'unsubscribed') await suppressMarketing(tx, tenantId, 'sms', contactIds, 'no_consent');
  if (before?.status !== status) {
    const type = status === 'subscribed' ? 'CHANNEL_SUBSCRIBED' : 'CHANNEL_UNSUBSCRIBED';
    await appendEvents(
      tx,
      origin,
      contactIds.map((contactId): NewEvent => ({ type, data: { contactId, channel: 'sms', reason: source } })),
    );
  }
  return contactIds;
}

/** Suppresses the QUEUED marketing messages of a channel to these contacts. */
export async function suppressMarketing(
  tx: EntityManager,
  tenantId: string,
  channel: 'sms' | 'push',
  contactIds: readonly number[],
  reason: string,
): Promise<void> {
  if (contactIds.length === 0) return;
  const which = sql`contact_id = any(${[...contactIds]}::bigint[]) and channel = ${channel} and category = 'marketing'`;
  await suppressMessages(tx, tenantId, which, reason);
}
