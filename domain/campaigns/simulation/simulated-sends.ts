import type { Channel } from '../../../db/entities/channels.ts';
import { heldUntil } from '../../delivery/gates/hours.ts';
import { judgeMessages, readHours } from '../../delivery/gates/judge.ts';
import { readPreferredChannels } from '../../delivery/gates/preferred-channels.ts';
import { judgeEmails } from '../../emails/ledger/judge-emails.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { createYielder } from '../../../lib/async/turn.ts';
import { channelsInOrder } from '../../campaign-definitions/steps/message.ts';
import type { Effect } from '../execution/advance.ts';
import { success, type Performed } from '../execution/performed.ts';
import { refusedByAll, sentBy } from '../execution/send-step.ts';
import { drawReaction } from './draws.ts';
import { entryCapOf, isFull } from './simulated-caps.ts';
import { happens } from './simulated-events.ts';
import type { Failed, Traveller } from './traveller.ts';
import { EXECUTION, type World } from './world.ts';

interface Sending {
  channel: Channel;
  templateId: number;
}

/** What the gates say about a template to one contact, in the order in which they are asked. */
interface Judged {
  /** Asked when it is queued. */
  refusal: string | null;
  /** Asked when it is started. */
  refusalAtStart: string | null;
  isMarketing: boolean;
}

const judgeAll = async (
  { tx, tenantId, mailFrom }: World,
  { channel, templateId }: Sending,
  travellers: readonly Traveller[],
): Promise<Map<number, Judged>> => {
  const ids = travellers.map(({ contactId }) => contactId);
  if (channel === 'email') return judgeEmails(tx, tenantId, templateId, ids, mailFrom);
  return judgeMessages(tx, tenantId, { channel, templateId }, ids, numbersOf(travellers));
};

/** The numbers of contacts whose steps may have changed them. */
const numbersOf = (travellers: readonly Traveller[]): Map<number, string | null> =>
  new Map(
    travellers.flatMap(({ contactId, fields }): [number, string | null][] =>
      fields?.changedAt ? [[contactId, fields.phoneE164 ?? null]] : [],
    ),
  );

/** Those to whom a marketing message of a channel that is queued now would be held for too long, as senders judge it. */
async function findExpiring(
  { tx, tenantId }: World,
  channel: Channel,
  travellers: readonly Traveller[],
  now: Date,
): Promise<Set<Traveller>> {
  const found = new Set<Traveller>();
  if (travellers.length === 0) return found;
  const ids = travellers.map(({ contactId }) => contactId);
  const hours = await readHours(tx, tenantId, channel, ids, numbersOf(travellers));
  const turn = createYielder();
  for (const traveller of travellers) {
    const rules = hours.get(traveller.contactId);
    if (rules && heldUntil({ ...rules, timezone: traveller.timezone }, now, now) === 'expired') found.add(traveller);
    if (turn.isOver()) await turn.next();
  }
  return found;
}

const isMarketingTo =
  (judged: ReadonlyMap<number, Judged>) =>
  ({ contactId }: Traveller): boolean =>
    judged.get(contactId)!.isMarketing;

/** The step succeeds by queueing it; what refuses it is asked when it is started. */
function suppressedLater({ tally }: World, reason: string): string {
  tally.suppressed(reason);
  return `suppressed before it is sent: ${reason}`;
}

/** The same, with the caps at this time. */
function withCaps(
  world: World,
  { refusal, refusalAtStart, isMarketing }: Judged,
  channel: Channel,
  to: Traveller,
  now: Date,
): Judged {
  const own = entryCapOf(world);
  const isCapped = (caps: Parameters<typeof isFull>[0][]): boolean =>
    isMarketing && caps.some((cap) => isFull(cap, channel, to, now));
  return {
    isMarketing,
    refusal: refusal ?? (own && isCapped([own]) ? 'frequency_cap' : null),
    refusalAtStart: refusalAtStart ?? (isCapped([...world.tenantCaps]) ? 'frequency_cap' : null),
  };
}

const templateGone = (templateId: number): Failed => ({ failure: notFound('template', templateId).message });

/** What an EMAIL, SMS or PUSH step does for these contacts, which are all at it. */
export async function send(
  world: World,
  travellers: readonly Traveller[],
  sending: Sending,
  now: Date,
): Promise<Map<Traveller, Performed | Failed>> {
  const judged = await judgeAll(world, sending, travellers);
  const expiring = await findExpiring(world, sending.channel, travellers.filter(isMarketingTo(judged)), now);
  return new Map(
    travellers.map((traveller): [Traveller, Performed | Failed] => {
      const { channel, templateId } = sending;
      const found = withCaps(world, judged.get(traveller.contactId)!, channel, traveller, now);
      if (found.refusal === 'template_deleted') return [traveller, templateGone(templateId)];
      if (found.refusal !== null) {
        world.tally.suppressed(found.refusal);
        const { refusal: reason } = found;
        return [traveller, { result: { kind: 'suppressed' }, recorded: 'suppressed', reason }];
      }
      const later = judged.get(traveller.contactId)!.refusalAtStart ?? (expiring.has(traveller) ? 'expired' : null);
      const refusalAtStart = later ?? found.refusalAtStart;
      if (refusalAtStart !== null) return [traveller, { ...success, reason: suppressedLater(world, refusalAtStart) }];
      return [traveller, { ...success, reason: deliver(world, traveller, sending, found.isMarketing, now) }];
    }),
  );
}

/** What a MESSAGE step does for these contacts, which are all at it. */
export async function sendByFirstChannel(
  world: World,
  travellers: readonly Traveller[],
  effect: Extract<Effect, { effect: 'choose' }>,
  now: Date,
): Promise<Map<Traveller, Performed | Failed>> {
  const { tx, tenantId, tally } = world;
  const ids = travellers.map(({ contactId }) => contactId);
  const preferred =
    effect.order === 'preferred' ? await readPreferredChannels(tx, tenantId, ids) : new Map<number, Channel>();
  const judged = new Map<Channel, Map<number, Judged>>();
  const expiring = new Map<Channel, Set<Traveller>>();
  for (const channel of channelsInOrder(effect, null)) {
    const templateId = effect.templates[channel]!;
    const ofChannel = await judgeAll(world, { channel, templateId }, travellers);
    judged.set(channel, ofChannel);
    expiring.set(channel, await findExpiring(world, channel, travellers.filter(isMarketingTo(ofChannel)), now));
  }
  const perform = (traveller: Traveller): Performed | Failed => {
    const refused: { channel: Channel; reason: string }[] = [];
    for (const channel of channelsInOrder(effect, preferred.get(traveller.contactId) ?? null)) {
      const templateId = effect.templates[channel]!;
      const found = withCaps(world, judged.get(channel)!.get(traveller.contactId)!, channel, traveller, now);
      const reason = found.refusal ?? found.refusalAtStart;
      if (reason === 'template_deleted') return templateGone(templateId);
      // Hours are not asked when a channel is chosen.
      if (reason === null && expiring.get(channel)!.has(traveller))
        return sentBy(channel, suppressedLater(world, 'expired'));
      if (reason === null)
        return sentBy(channel, deliver(world, traveller, { channel, templateId }, found.isMarketing, now));
      refused.push({ channel, reason });
    }
    for (const { reason } of refused) tally.suppressed(reason);
    return refusedByAll(refused);
  };
  return new Map(travellers.map((traveller) => [traveller, perform(traveller)]));
}

/** It is sent; an email is perhaps opened and clicked at once. Returns what was assumed. */
function deliver(
  world: World,
  traveller: Traveller,
  { channel, templateId }: Sending,
  isMarketing: boolean,
  now: Date,
): string | null {
  if (isMarketing) traveller.marketing.push({ channel, at: now.getTime() });
  const { contactId, position } = traveller;
  const stepId = world.definition.steps[position.stepIndex]!.id;
  const visit = position.visits[position.stepIndex]!;
  const data = { templateId, campaignId: world.campaignId, executionId: EXECUTION, stepId };
  if (channel !== 'email') {
    happens(world, traveller, now, 'MESSAGE_SENT', { ...data, channel, status: 'SENT' });
    return null;
  }
  const { opened, clicked } = drawReaction(world.assume, { contactId, stepId, visit });
  happens(world, traveller, now, 'EMAIL_SENT', { ...data, status: 'SENT' });
  if (opened) happens(world, traveller, now, 'EMAIL_OPENED', data);
  if (clicked) happens(world, traveller, now, 'EMAIL_CLICKED', data);
  if (clicked) return 'assumed to be opened and clicked';
  return opened ? 'assumed to be opened' : null;
}
