import { isDeepStrictEqual } from 'node:util';
import type { Channel } from '../../../db/entities/channels.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { stopExecutionsOfContact } from '../../campaigns/execution/stop-executions.ts';
import type { DailySpan } from '../../../lib/time/local-time.ts';
import { assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';
import { suppressAddresses } from '../../emails/consent/suppress-addresses.ts';
import { duePostponedEmails } from '../../emails/ledger/accept-emails.ts';
import { suppressMarketingTo } from '../../emails/ledger/suppress-emails.ts';
import { lockNumbers } from '../../channels/queue/opt-out.ts';
import { duePostponedMessages } from '../../channels/settings/due-postponed.ts';
import { readRules, readTopics, saveRules, saveTopics } from './choices.ts';
import { lastConsent, lastOptOut, recordConsent } from './consents.ts';
import type { ContactPreferences, Evidence, Person } from './contact-preferences.ts';
import { preferenceViolations } from './preference-violations.ts';

export interface PreferencesInput {
  contactId: number;
  channels?: {
    email?: { wanted?: boolean };
    sms?: { consent?: 'subscribed' | 'unsubscribed' | 'none'; evidence?: EvidenceInput | null };
  };
  topics?: ({ topicId: number } & Partial<Record<Channel, boolean>>)[];
  quietHours?: DailySpan | null;
  preferredChannel?: Channel | null;
}
export interface EvidenceInput {
  source: string;
  text?: string | null;
  ip?: string | null;
  at?: Date;
}

export async function readPreferences(em: EntityManager, tenantId: string, contactId: number) {
  return em.transactional(async (tx) => preferencesOf(tx, tenantId, await findPerson(tx, tenantId, contactId)));
}

/** Throws 404. */
export async function findPerson(tx: EntityManager, tenantId: string, contactId: number): Promise<Person> {
  const [person] = await rows<Person>(
    tx,
    sql`
    select id as "contactId", email_key as "emailKey", phone_e164 as number, status from contacts where tenant_id = ${tenantId} and id = ${contactId}`,
  );
  if (!person) throw notFound('contact', contactId);
  return person;
}

export async function preferencesOf(
  tx: EntityManager,
  tenantId: string,
  { contactId, emailKey, number, status }: Person,
): Promise<ContactPreferences> {
  const topics = await readTopics(tx, tenantId, { emailKeys: [emailKey], number });
  const consent = number === null ? null : await lastConsent(tx, tenantId, number);
  const [push] = await rows<{ devices: number }>(
    tx,
    sql`select count(*)::int as devices from push_subscriptions where tenant_id = ${tenantId} and contact_id = ${contactId} and status = 'active'`,
  );
  return {
    contactId,
    channels: {
      email: { wanted: status === 'active', reason: status === 'active' ? null : status },
      sms: {
        consent: consent?.status ?? 'none',
        at: consent?.at ?? null,
        source: consent?.source ?? null,
        evidence: consent && { source: consent.source, text: consent.text, ip: consent.ip, at: consent.at },
      },
      push: push!,
    },
    topics: topics.map(({ description: _, ...topic }) => topic),
    ...(await readRules(tx, tenantId, [emailKey])),
  };
}

/**
 * Changes what is given of a contact's preferences. Choices hang on its addresses and outlive it. What is switched off
 * is not sent any more, even if it is QUEUED. Throws 404, and 400 with every violation.
 */
export async function updatePreferences(
  em: EntityManager,
  author: Author,
  input: PreferencesInput,
): Promise<ContactPreferences> {
  const { tenantId } = author;
  const { contactId } = input;
  return freshTransaction(em, async (tx) => {
    await lockContacts(tx, tenantId, [contactId]);
    const person = await findPerson(tx, tenantId, contactId);
    // What the number says in a text meanwhile is not overruled.
    if (person.number !== null) await lockNumbers(tx, [{ tenantId, number: person.number }]);
    const before = await preferencesOf(tx, tenantId, person);
    assertValid(await violationsOf(tx, tenantId, input, before, person));
    await saveChoices(tx, tenantId, person, input, before);
    await switchEmailOff(tx, author, person, input, before);
    await decideTexts(tx, author, person, input, before);
    const after = await preferencesOf(tx, tenantId, await findPerson(tx, tenantId, contactId));
    if (!isDeepStrictEqual(before, after))
      await appendAudit(tx, author, {
        action: 'channel_preferences.updated',
        resourceType: 'contact',
        resourceId: contactId,
        before: audited(before),
        after: audited(after),
      });
    return after;
  });
}

/** The violations of an update beyond its schema. */
export const violationsOf = async (
  tx: EntityManager,
  tenantId: string,
  input: object,
  current: ContactPreferences,
  person: Person,
): Promise<Violation[]> => {
  const optedOutAt = person.number === null ? null : await lastOptOut(tx, tenantId, person.number);
  return preferenceViolations(input, current, { ...person, optedOutAt });
};

/** What the audit log keeps: no evidence, which may contain personal data. */
const audited = ({ channels: { email, sms }, topics, quietHours, preferredChannel }: ContactPreferences) => ({
  email: email.wanted,
  sms: sms.consent,
  topics: topics.map(({ name: _, ...topic }) => topic),
  quietHours,
  preferredChannel,
});

/** Topics, quiet hours and the preferred channel. */
async function saveChoices(
  tx: EntityManager,
  tenantId: string,
  { contactId, emailKey, number }: Person,
  input: PreferencesInput,
  before: ContactPreferences,
): Promise<void> {
  for (const channel of ['email', 'sms', 'push'] as const) {
    const chosen = (input.topics ?? []).filter(({ [channel]: wanted }) => wanted !== undefined);
    const ids = (wanted: boolean) => chosen.filter((topic) => topic[channel] === wanted).map(({ topicId }) => topicId);
    if (chosen.length > 0)
      await saveTopics(tx, tenantId, { emailKeys: [emailKey], number }, channel, {
        wanted: ids(true),
        unwanted: ids(false),
      });
  }
  const { quietHours = before.quietHours, preferredChannel = before.preferredChannel } = input;
  const hasOtherHours = !isDeepStrictEqual(quietHours, before.quietHours);
  if (!hasOtherHours && preferredChannel === before.preferredChannel) return;
  await saveRules(tx, tenantId, [emailKey], { quietHours, preferredChannel });
  if (!hasOtherHours) return;
  await duePostponedEmails(tx, tenantId, [contactId]);
  await duePostponedMessages(tx, tenantId, [contactId]);
}

async function switchEmailOff(
  tx: EntityManager,
  origin: Author,
  { contactId, emailKey }: Person,
  { channels }: PreferencesInput,
  before: ContactPreferences,
): Promise<void> {
  if (channels?.email?.wanted !== false || !before.channels.email.wanted) return;
  const { tenantId } = origin;
  await stopExecutionsOfContact(tx, tenantId, contactId, 'unsubscribed');
  await suppressMarketingTo(tx, tenantId, contactId, 'contact_unsubscribed');
  await suppressAddresses(tx, origin, 'unsubscribed', [{ emailKey, contactId, emailId: null }], 'api');
}

async function decideTexts(
  tx: EntityManager,
  origin: Author,
  { number }: Person,
  { channels }: PreferencesInput,
  { channels: { sms: before } }: ContactPreferences,
): Promise<void> {
  const { consent, evidence } = channels?.sms ?? {};
  if (number === null || consent === undefined || consent === 'none') return;
  const isOther = consent !== before.consent;
  const isNewEvidence = evidence != null && before.evidence !== null && !isSameEvidence(evidence, before.evidence);
  if (!isOther && !isNewEvidence) return;
  const { source, text, ip, at } = evidence ?? { source: 'api' };
  await recordConsent(tx, origin, { address: number, status: consent, source, text, ip, at });
}

const isSameEvidence = (given: EvidenceInput, had: Evidence): boolean =>
  given.source === had.source &&
  (given.text || null) === had.text &&
  (given.ip || null) === had.ip &&
  (given.at === undefined || given.at.getTime() === had.at.getTime());
