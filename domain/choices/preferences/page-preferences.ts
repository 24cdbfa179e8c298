import type { Channel } from '../../../db/entities/channels.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type Origin } from '../../../events/outbox.ts';
import { erasedKey } from '../../addresses/digest.ts';
import type { TokenSubject } from '../../addresses/tokens.ts';
import type { DailySpan } from '../../../lib/time/local-time.ts';
import { findTokenRecipient, type TokenRecipient } from '../../emails/consent/concerned-addresses.ts';
import { duePostponedEmails } from '../../emails/ledger/accept-emails.ts';
import { duePostponedMessages } from '../../channels/settings/due-postponed.ts';
import { readRules, readTopics, saveRules, saveTopics, type TopicRow } from './choices.ts';
import { recordConsent, suppressMarketing } from './consents.ts';

/** What the recipient of an email can choose, and has chosen. */
export interface PagePreferences {
  /** No address is known any more, because the data was erased. */
  erased: boolean;
  /** Unsubscribed, bounced or complained: no marketing email is sent, whatever the choices are. */
  unsubscribed: boolean;
  /** The channels to choose for: those that the tenant uses, and on which the recipient has not refused everything. */
  channels: Channel[];
  /** Topics are opt-out: all are wanted until the recipient chooses. */
  topics: TopicRow[];
  quietHours: DailySpan | null;
  /** For new quiet hours: the contact's time zone, else the tenant's. */
  timezone: string;
}

/** What the page sends: the wanted topics of each channel that it showed. */
export interface PageChoice {
  topics: Partial<Record<Channel, readonly number[]>>;
  /** Absent: unchanged. */
  quietHours?: DailySpan | null;
}

interface Recipient extends TokenRecipient {
  number: string | null;
  timezone: string | null;
}

/** The preferences of an email's recipient. Changes nothing. */
export const readPagePreferences = (em: EntityManager, subject: TokenSubject): Promise<PagePreferences> =>
  em.transactional(async (tx) =>
    preferencesOf(tx, subject.tenantId, await findRecipient(tx, subject, { lock: false })),
  );

/**
 * Stores a choice, for the address that the email was sent to, and the contact's current address and number. Topics
 * that do not exist are ignored. Idempotent.
 */
export async function savePagePreferences(
  em: EntityManager,
  subject: TokenSubject,
  { topics, quietHours }: PageChoice,
): Promise<PagePreferences> {
  const { tenantId } = subject;
  return freshTransaction(em, async (tx) => {
    const recipient = await findRecipient(tx, subject, { lock: true });
    const { emailKeys, number, contactId } = recipient;
    const known = (await readTopics(tx, tenantId, { emailKeys, number })).map(({ topicId }) => topicId);
    for (const channel of ['email', 'sms', 'push'] as const) {
      const wanted = topics[channel];
      if (wanted === undefined) continue;
      const unwanted = known.filter((id) => !wanted.includes(id));
      await saveTopics(tx, tenantId, { emailKeys, number }, channel, { wanted, unwanted });
    }
    if (quietHours !== undefined && emailKeys.length > 0) {
      await saveRules(tx, tenantId, emailKeys, { ...(await readRules(tx, tenantId, emailKeys)), quietHours });
      if (contactId !== null) {
        await duePostponedEmails(tx, tenantId, [contactId]);
        await duePostponedMessages(tx, tenantId, [contactId]);
      }
    }
    return preferencesOf(tx, tenantId, recipient);
  });
}

/**
 * Opts the recipient of an email out of all marketing texts and pushes; `unsubscribe` does so for email. What waits for
 * them is SUPPRESSED. Idempotent.
 */
export async function refuseOtherChannels(
  em: EntityManager,
  origin: Origin,
  subject: TokenSubject,
  ip: string | null,
): Promise<void> {
  const { tenantId } = origin;
  await freshTransaction(em, async (tx) => {
    const { emailKeys, number, contactId } = await findRecipient(tx, subject, { lock: true });
    const added = await rows(
      tx,
      sql`
      insert into channel_suppressions (tenant_id, channel, address, reason, source)
      select ${tenantId}, 'push', key, 'unsubscribed', 'page' from unnest(${emailKeys}::text[]) key order by key
      on conflict (tenant_id, channel, address) do nothing returning id`,
    );
    if (contactId !== null) {
      await suppressMarketing(tx, tenantId, 'push', [contactId], 'address_unsubscribed');
      if (added.length > 0)
        await appendEvents(tx, origin, [
          { type: 'CHANNEL_UNSUBSCRIBED', data: { contactId, channel: 'push', reason: 'page' } },
        ]);
    }
    if (number !== null)
      await recordConsent(tx, origin, { address: number, status: 'unsubscribed', source: 'page', ip });
  });
}

async function findRecipient(tx: EntityManager, subject: TokenSubject, options: { lock: boolean }): Promise<Recipient> {
  const found = await findTokenRecipient(tx, subject, options);
  const [contact] = await rows<{ number: string | null; timezone: string | null }>(
    tx,
    sql`
    select phone_e164 as number, timezone from contacts where tenant_id = ${subject.tenantId} and id = ${found.contactId}`,
  );
  return { ...found, number: contact?.number ?? null, timezone: contact?.timezone ?? null };
}

async function preferencesOf(
  tx: EntityManager,
  tenantId: string,
  { contactId, emailKeys, number, timezone }: Recipient,
): Promise<PagePreferences> {
  const withErased = (keys: readonly string[]): string[] => keys.flatMap((key) => [key, erasedKey(tenantId, key)]);
  const all = withErased(emailKeys);
  const [state] = await rows<{ unsubscribed: boolean; sms: boolean; push: boolean; timezone: string | null }>(
    tx,
    sql`
    select
      exists (select 1 from suppressions where tenant_id = ${tenantId} and email_key = any(${all}::text[]))
        or exists (
          select 1 from contacts where tenant_id = ${tenantId} and (id = ${contactId} or email_key = any(${emailKeys}::text[]))
            and status in ('unsubscribed', 'bounced', 'complained')) as unsubscribed,
      ${number}::text is not null and exists (select 1 from channel_providers where tenant_id = ${tenantId} and channel = 'sms' and active)
        and coalesce((select status from text_consents where tenant_id = ${tenantId} and address = any(${withErased(number === null ? [] : [number])}::text[])
          order by id desc limit 1) <> 'unsubscribed', true) as sms,
      ${contactId}::bigint is not null and (exists (select 1 from push_sites where tenant_id = ${tenantId})
          or exists (select 1 from channel_providers where tenant_id = ${tenantId} and channel = 'push' and active))
        and not exists (
          select 1 from channel_suppressions where tenant_id = ${tenantId} and channel = 'push' and address = any(${all}::text[])) as push,
      (select timezone from channel_settings where tenant_id = ${tenantId}) as timezone`,
  );
  const { unsubscribed, sms, push } = state!;
  return {
    unsubscribed,
    erased: emailKeys.length === 0,
    channels: [
      ...(unsubscribed ? [] : ['email' as const]),
      ...(sms ? ['sms' as const] : []),
      ...(push ? ['push' as const] : []),
    ],
    topics: await readTopics(tx, tenantId, { emailKeys, number }),
    quietHours: (await readRules(tx, tenantId, emailKeys)).quietHours,
    timezone: timezone ?? state!.timezone ?? 'UTC',
  };
}
