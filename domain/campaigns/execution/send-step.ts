import type { Channel, MessageChannel } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isCapFull } from '../../delivery/gates/caps.ts';
import { judgeCaps, judgeMessages } from '../../delivery/gates/judge.ts';
import { readPreferredChannels } from '../../delivery/gates/preferred-channels.ts';
import { queueMessages } from '../../channels/queue/queue-messages.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';
import { isCapped } from '../../emails/ledger/frequency-cap.ts';
import { judgeEmails } from '../../emails/ledger/judge-emails.ts';
import { queueEmails } from '../../emails/ledger/queue-emails.ts';
import { channelsInOrder } from '../../campaign-definitions/steps/message.ts';
import type { Effect } from './advance.ts';
import { sendKeyOf, success, type Performed, type Performer } from './performed.ts';

const suppressed = (reason: string | null): Performed => ({
  ...{ result: { kind: 'suppressed' }, recorded: 'suppressed', reason },
});

/** What a MESSAGE step records, with why no channel let it pass. */
export const refusedByAll = (reasons: readonly { channel: Channel; reason: string }[]): Performed =>
  suppressed(reasons.map(({ channel, reason }) => `${channel}: ${reason}`).join(' · '));
export const sentBy = (channel: Channel, reason: string | null = null): Performed => ({
  ...{ ...success, recorded: `sent:${channel}`, reason },
});

/** What the entry's cap counts and limits. */
export const cappedChannels = (cap: { channels?: readonly Channel[] }): readonly Channel[] => cap.channels ?? ['email'];

/**
 * Queues one email per visit of the step (its send key). Suppressed emails (by a gate or the cap) get a ledger row too.
 */
export async function sendEmail(
  tx: EntityManager,
  templateId: number,
  by: Performer,
  sendKey = sendKeyOf(by),
): Promise<Performed> {
  const { tenantId, executionId, campaignId, contactId, stepId, frequencyCap, priority } = by;
  const cap = frequencyCap && cappedChannels(frequencyCap).includes('email') ? frequencyCap : null;
  // The lock prevents two concurrent journeys from both sending the last email that the cap allows.
  if (cap) await lockContacts(tx, tenantId, [contactId]);
  const capped = cap && (await isCapped(tx, tenantId, { contactId, templateId }, cap));
  const [email] = await queueEmails(tx, tenantId, [
    {
      ...{ sendKey, templateId, contactId, campaignId, executionId, stepId, lane: 'journey' },
      ...{ priority, requestId: null, refusal: capped ? 'frequency_cap' : null },
    },
  ]);
  // Not suppressed for good: the step fails, and can be retried with the template restored.
  if (email!.reason === 'template_deleted') throw notFound('template', templateId);
  return email!.status === 'SUPPRESSED' ? suppressed(email!.reason) : success;
}

/** The same for a text message or a push. */
export async function sendMessage(
  tx: EntityManager,
  { channel, templateId }: { channel: MessageChannel; templateId: number },
  by: Performer,
  sendKey = sendKeyOf(by),
): Promise<Performed> {
  const { tenantId, executionId, campaignId, contactId, stepId, frequencyCap, priority } = by;
  let capped = false;
  if (frequencyCap && cappedChannels(frequencyCap).includes(channel)) {
    await lockContacts(tx, tenantId, [contactId]);
    capped = (await isMarketing(tx, tenantId, templateId)) && (await isEntryCapFull(tx, by));
  }
  const [message] = await queueMessages(tx, tenantId, [
    {
      ...{ sendKey, channel, templateId, contactId, campaignId, executionId, stepId, lane: 'journey' },
      ...{ priority, requestId: null, refusal: capped ? 'frequency_cap' : null },
    },
  ]);
  if (message!.reason === 'template_deleted') throw notFound('template', templateId);
  return message!.status === 'SUPPRESSED' ? suppressed(message!.reason) : success;
}

async function isMarketing(tx: EntityManager, tenantId: string, templateId: number): Promise<boolean> {
  const found = await rows(
    tx,
    sql`select 1 from channel_templates where tenant_id = ${tenantId} and id = ${templateId} and category = 'marketing'`,
  );
  return found.length > 0;
}

const isEntryCapFull = (tx: EntityManager, { tenantId, contactId, frequencyCap }: Performer): Promise<boolean> => {
  const { maxEmails: max, perDays } = frequencyCap!;
  return isCapFull(tx, tenantId, contactId, { channels: cappedChannels(frequencyCap!), max, perDays });
};

/**
 * Queues the template of the first channel whose gates let it pass, hours aside: what only has to wait is sent. Nothing
 * is written for the channels before it. `mailFrom` is MAIL_FROM.
 */
export async function sendByChannel(
  tx: EntityManager,
  effect: Extract<Effect, { effect: 'choose' }>,
  by: Performer,
  mailFrom: string,
): Promise<Performed> {
  const { tenantId, contactId } = by;
  // What the caps allow must still be so when it is queued.
  await lockContacts(tx, tenantId, [contactId]);
  const preferred = (await readPreferredChannels(tx, tenantId, [contactId])).get(contactId) ?? null;
  const refused: { channel: Channel; reason: string }[] = [];
  for (const channel of channelsInOrder(effect, preferred)) {
    const templateId = effect.templates[channel]!;
    const refusal = await refusalOf(tx, { channel, templateId }, by, mailFrom);
    if (refusal === 'template_deleted') throw notFound('template', templateId);
    let reason = refusal;
    if (refusal === null) {
      // What was suppressed because something changed just now must not stand for what the next channel sends.
      const sendKey = sendKeyOf(by, channel);
      const performed =
        channel === 'email'
          ? await sendEmail(tx, templateId, by, sendKey)
          : await sendMessage(tx, { channel, templateId }, by, sendKey);
      if (performed.result.kind === 'done') return sentBy(channel);
      reason = performed.reason;
    }
    refused.push({ channel, reason: reason ?? 'suppressed' });
  }
  return refusedByAll(refused);
}

/** Why a channel does not let a template pass now; null if it does. */
async function refusalOf(
  tx: EntityManager,
  { channel, templateId }: { channel: Channel; templateId: number },
  by: Performer,
  mailFrom: string,
): Promise<string | null> {
  const { tenantId, contactId, priority, frequencyCap } = by;
  const judged =
    channel === 'email'
      ? await judgeEmails(tx, tenantId, templateId, [contactId], mailFrom)
      : await judgeMessages(tx, tenantId, { channel, templateId }, [contactId]);
  const { refusal, refusalAtStart, isMarketing } = judged.get(contactId)!;
  const reason = refusal ?? refusalAtStart;
  if (reason !== null || !isMarketing) return reason;
  if (frequencyCap && cappedChannels(frequencyCap).includes(channel) && (await isEntryCapFull(tx, by)))
    return 'frequency_cap';
  return judgeCaps(tx, tenantId, { channel, contactId, ...(priority === undefined ? {} : { priority }) });
}
