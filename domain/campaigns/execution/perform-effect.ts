import type { EntityManager } from '../../../db/orm.ts';
import type { Origin } from '../../../events/outbox.ts';
import type { ContactInput } from '../../contact-values/contact-values.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { isViolation } from '../../../lib/checks/violation.ts';
import { customFieldTypes } from '../../contact-values/custom-field-types.ts';
import { parseCustomText } from '../../contact-values/custom-values.ts';
import { liquidIn, replaceLiquid } from '../../campaign-definitions/steps/liquid.ts';
import { notifyUser } from '../../emails/system-mail/notify-user.ts';
import { changeListMembers } from '../../membership/members/change-list-members.ts';
import { assertSegments } from './assert-segments.ts';
import type { Effect, OpenGoal } from './advance.ts';
import { judge, type Judged, type Verdict } from './judge.ts';
import { causedBy } from './depth.ts';
import { splitBranch, type SplitSubject } from './split-branch.ts';
import { causeId, success, type Performed, type Performer } from './performed.ts';
import { sendByChannel, sendEmail, sendMessage } from './send-step.ts';

/** The commands of areas that depend on campaigns themselves; whoever runs steps passes them in. */
export interface StepCommands {
  /** MAIL_FROM: the sender of emails without one of their own. */
  mailFrom: string;
  /** Sets fields of the contact. Returns the names of those that changed. Throws `validation_failed`. */
  setContactFields: (
    tx: EntityManager,
    origin: Origin,
    contactId: number,
    fields: ContactInput,
  ) => Promise<readonly string[]>;
  /** Adds points to the contact's score, once per cause. Returns the new score; null if there is no contact. */
  addPoints: (
    tx: EntityManager,
    tenantId: string,
    contactId: number,
    points: number,
    cause: { id: string; type: string; time: string; requestid: string },
  ) => Promise<number | null>;
}

/** The name, in the step's record, of the exit that a branching step took. */
function branchName(matched: number | null): string {
  if (matched === null) return 'else';
  return matched === 0 ? 'then' : `branch-${matched}`;
}

/** The branch of the first filter that holds, by the verdicts of all of them. */
export function branched(verdicts: readonly Verdict[]): Performed {
  const found = verdicts.findIndex(({ holds }) => holds);
  const matched = found === -1 ? null : found;
  const asked = matched === null ? verdicts : verdicts.slice(0, matched + 1);
  const reason = asked.map((verdict) => verdict.reason).join(' · ');
  return { result: { kind: 'branch', matched }, recorded: branchName(matched), reason };
}

/** What a WAIT_FOR_EVENT step does, with what its event leaf says; `until` is null when its time is over. */
export function awaited({ holds, reason }: Verdict, until: Date | null): Performed {
  if (holds) return { result: { kind: 'branch', matched: 0 }, recorded: 'event', reason };
  if (until) return { result: { kind: 'wait', until }, recorded: 'wait', reason: null };
  return { result: { kind: 'branch', matched: 1 }, recorded: 'timeout', reason };
}

/** The branch that a contact takes at a SPLIT. */
export function divided(by: SplitSubject, weights: readonly number[]): Performed {
  const matched = splitBranch(by, weights);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const reason = `${weights[matched]} of ${total}`;
  return { result: { kind: 'branch', matched }, recorded: `branch-${matched + 1}`, reason };
}

/** What UPDATE_CONTACT records, with the names of the fields that changed. */
export const updated = (changed: readonly string[]): Performed => ({
  ...success,
  reason: changed.length === 0 ? 'nothing changed' : `changed ${changed.join(', ')}`,
});

/** What SCORE records, with the new score. */
export const scored = (reason: string | null, total: number): Performed => ({
  ...success,
  reason: `${reason === null ? '' : `${reason}: `}the score is ${total}`,
});

/** What a GOAL step records, with what its filter says about the contact. */
export const reachedGoal = ({ holds, reason }: Verdict): Performed => ({
  result: { kind: 'goal', met: holds },
  recorded: holds ? 'met' : 'not_met',
  reason,
});

/** What could not be done; the journey goes on. */
const failed = (reason: string): Performed => ({ ...success, recorded: 'failed', reason });

/** Sets fields; those with Liquid to what is printed. If a field cannot have that, none is set. */
async function update(
  tx: EntityManager,
  commands: StepCommands,
  set: ContactInput,
  { tenantId, executionId, contactId, texts: rendered }: Performer,
): Promise<Performed> {
  const origin = { tenantId, requestId: causedBy(executionId) };
  if (liquidIn(set).length === 0) return updated(await commands.setContactFields(tx, origin, contactId, set));
  if ('failure' in rendered!) return failed(rendered.failure);
  const types = await customFieldTypes(tx, tenantId);
  const texts = [...rendered!.texts];
  const next = (): string => texts.shift()!;
  const filled = replaceLiquid(set, {
    field: next,
    tag: () => [next()].filter((tag) => tag.trim() !== ''),
    custom: (_source, name) => {
      const text = next();
      const type = types.get(name);
      const value = type ? parseCustomText(type, text) : text;
      return isViolation(value) ? text : value;
    },
  });
  try {
    return updated(await commands.setContactFields(tx, origin, contactId, filled));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation_failed') throw error;
    return failed((error.errors ?? []).map(({ path, message }) => `${path} ${message}`).join('; '));
  }
}

/** The first of these goals that the contact meets, with the reason; null if it meets none. */
export async function findMetGoal(
  tx: EntityManager,
  goals: readonly OpenGoal[],
  by: Judged,
): Promise<{ goal: OpenGoal; verdict: Verdict } | null> {
  if (goals.length === 0) return null;
  const verdicts = await judge(
    tx,
    by,
    goals.map(({ filter }) => filter),
  );
  const index = verdicts.findIndex(({ holds }) => holds);
  return index === -1 ? null : { goal: goals[index]!, verdict: verdicts[index]! };
}

/** Performs the effect of a step in the transaction `tx`. */
export async function performEffect(
  tx: EntityManager,
  commands: StepCommands,
  effect: Effect,
  by: Performer,
): Promise<Performed> {
  const { tenantId, executionId, contactId } = by;
  const origin = { tenantId, requestId: causedBy(executionId) };
  switch (effect.effect) {
    case 'none':
      return success;
    case 'wait':
      return { result: { kind: 'wait', until: effect.until }, recorded: 'wait', reason: null };
    case 'membership':
      await changeListMembers(
        tx,
        tenantId,
        effect.listId,
        { [effect.action]: [contactId] },
        { requestId: origin.requestId },
      );
      return success;
    case 'evaluate':
      await assertSegments(tx, tenantId, effect.filters);
      return branched(await judge(tx, by, effect.filters));
    case 'await': {
      const [verdict] = await judge(tx, { ...by, startedAt: by.enteredAt }, [effect.event]);
      return awaited(verdict!, effect.until);
    }
    case 'goal': {
      await assertSegments(tx, tenantId, [effect.filter]);
      const [verdict] = await judge(tx, by, [effect.filter]);
      return reachedGoal(verdict!);
    }
    case 'split':
      return divided(by, effect.weights);
    case 'update':
      return update(tx, commands, effect.set, by);
    case 'score': {
      const cause = { id: causeId(by), type: 'SCORE', time: by.at.toISOString(), requestid: origin.requestId };
      const total = await commands.addPoints(tx, tenantId, contactId, effect.points, cause);
      return scored(effect.reason, total ?? 0);
    }
    case 'webhook': {
      const { ok, reason } = by.answer!;
      return { ...success, recorded: ok ? 'success' : 'failed', reason };
    }
    case 'notify': {
      const rendered = by.texts!;
      if ('failure' in rendered) return failed(rendered.failure);
      const [subject, body] = rendered.texts as [string, string];
      const { sendKey } = rendered;
      const about = { to: effect.to, subject, body, contactId, executionId, stepId: by.stepId, sendKey };
      const refusal = await notifyUser(tx, tenantId, about);
      return refusal === null ? success : failed(refusal);
    }
    case 'email':
      return sendEmail(tx, effect.templateId, by);
    case 'message':
      return sendMessage(tx, effect, by);
    case 'choose':
      return sendByChannel(tx, effect, by, commands.mailFrom);
  }
}
