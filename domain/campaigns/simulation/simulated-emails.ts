import { isCapReached, type FrequencyCap } from '../../emails/ledger/frequency-cap.ts';
import { judgeEmails } from '../../emails/ledger/judge-emails.ts';
import { notFound } from '../../common/errors.ts';
import { success, type Performed } from '../execution/perform-effect.ts';
import { drawReaction } from './draws.ts';
import { happens } from './simulated-events.ts';
import type { Failed, Traveller } from './traveller.ts';
import { EXECUTION, type World } from './world.ts';

/** What an EMAIL step does for these contacts, which are all at it. */
export async function sendEmails(
  world: World,
  travellers: readonly Traveller[],
  templateId: number,
  now: Date,
): Promise<Map<Traveller, Performed | Failed>> {
  const { tx, tenantId, mailFrom, definition, tenantCap, tally } = world;
  const ids = travellers.map(({ contactId }) => contactId);
  const judged = await judgeEmails(tx, tenantId, templateId, ids, mailFrom);
  const performed = new Map<Traveller, Performed | Failed>();
  for (const traveller of travellers) {
    const { refusal, refusalAtStart, isMarketing } = judged.get(traveller.contactId)!;
    const isCapped = (cap: FrequencyCap | null): boolean =>
      isMarketing && cap !== null && isCapReached(cap, traveller.mails, now);
    const reason = refusal ?? (isCapped(definition.entry.frequencyCap) ? 'frequency_cap' : null);
    if (reason === 'template_deleted') {
      performed.set(traveller, { failure: notFound('template', templateId).message });
      continue;
    }
    if (reason !== null) {
      tally.suppressed(reason);
      performed.set(traveller, { result: { kind: 'suppressed' }, recorded: 'suppressed', reason });
      continue;
    }
    // The step succeeds by queueing the email; these gates are asked when it is started.
    const held = refusalAtStart ?? (isCapped(tenantCap) ? 'frequency_cap' : null);
    if (held !== null) {
      tally.suppressed(held);
      performed.set(traveller, { ...success, reason: `suppressed before it is sent: ${held}` });
      continue;
    }
    if (isMarketing) traveller.mails.push(now.getTime());
    performed.set(traveller, { ...success, reason: deliver(world, traveller, templateId, now) });
  }
  return performed;
}

/** The email is sent, and perhaps opened and clicked at once. */
function deliver(world: World, traveller: Traveller, templateId: number, now: Date): string | null {
  const { contactId, position } = traveller;
  const stepId = world.definition.steps[position.stepIndex]!.id;
  const visit = position.visits[position.stepIndex]!;
  const data = { templateId, campaignId: world.campaignId, executionId: EXECUTION, stepId };
  const { opened, clicked } = drawReaction(world.assume, { contactId, stepId, visit });
  happens(world, traveller, now, 'EMAIL_SENT', { ...data, status: 'SENT' });
  if (opened) happens(world, traveller, now, 'EMAIL_OPENED', data);
  if (clicked) happens(world, traveller, now, 'EMAIL_CLICKED', data);
  if (clicked) return 'assumed to be opened and clicked';
  return opened ? 'assumed to be opened' : null;
}
