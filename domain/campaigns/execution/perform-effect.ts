import type { EntityManager } from '../../../db/orm.ts';
import { changeListMembers } from '../../segments/membership/change-list-members.ts';
import { queueEmails } from '../../emails/ledger/queue-emails.ts';
import { evaluateFilter } from '../../segments/compile/evaluate.ts';
import type { Effect, StepResult } from './advance.ts';
import type { Entry } from '../definition/entry.ts';
import { lockContacts } from '../../contacts/values/lock-contacts.ts';
import { isCapped } from '../../emails/ledger/frequency-cap.ts';

/** The execution whose step has an effect, with its position. */
export interface Performer {
  tenantId: string;
  executionId: number;
  campaignId: number;
  contactId: number;
  startedAt: Date;
  stepId: string;
  visit: number;
  frequencyCap: Entry['frequencyCap'];
}

/** The outcome of an effect: the result for the interpreter, and the text for the step's record. */
export interface Performed {
  result: StepResult;
  recorded: string;
  reason: string | null;
}

const success: Performed = { result: { kind: 'done' }, recorded: 'success', reason: null };

/** The name, in the step's record, of the exit that a branching step took. */
function branchName(matched: number | null): string {
  if (matched === null) return 'else';
  return matched === 0 ? 'then' : `branch-${matched}`;
}

/** Performs the effect of a step in the transaction `tx`. */
export async function performEffect(tx: EntityManager, effect: Effect, by: Performer): Promise<Performed> {
  const { tenantId, executionId, contactId } = by;
  switch (effect.effect) {
    case 'none':
      return success;
    case 'wait':
      return { result: { kind: 'wait', until: effect.until }, recorded: 'wait', reason: null };
    case 'membership':
      await changeListMembers(tx, tenantId, effect.listId, { [effect.action]: [contactId] });
      return success;
    case 'evaluate': {
      const context = { executionStartedAt: by.startedAt, executionId };
      for (const [matched, filter] of effect.filters.entries()) {
        const holds = await evaluateFilter(tx, tenantId, filter, [contactId], context);
        if (holds.has(contactId))
          return { result: { kind: 'branch', matched }, recorded: branchName(matched), reason: null };
      }
      return { result: { kind: 'branch', matched: null }, recorded: branchName(null), reason: null };
    }
    case 'email':
      return queueEmail(tx, effect.templateId, by);
  }
}

/**
 * Queues one email per visit of the step (its send key). Suppressed emails (by a gate or the cap) get a ledger row too.
 */
async function queueEmail(tx: EntityManager, templateId: number, by: Performer): Promise<Performed> {
  const { tenantId, executionId, campaignId, contactId, stepId, visit, frequencyCap } = by;
  // The lock prevents two concurrent journeys from both sending the last email that the cap allows.
  if (frequencyCap) await lockContacts(tx, tenantId, [contactId]);
  const capped = frequencyCap && (await isCapped(tx, tenantId, { contactId, templateId }, frequencyCap));
  const [email] = await queueEmails(tx, tenantId, [
    {
      sendKey: `execution:${executionId}:${stepId}:${visit}`,
      templateId,
      contactId,
      campaignId,
      executionId,
      stepId,
      lane: 'journey',
      requestId: null,
      refusal: capped ? 'frequency_cap' : null,
    },
  ]);
  return email!.status === 'SUPPRESSED'
    ? { result: { kind: 'suppressed' }, recorded: 'suppressed', reason: email!.reason }
    : success;
}
