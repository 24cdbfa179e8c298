import type { Static, TSchema } from 'typebox';
import { condition } from './steps/condition.ts';
import { email } from './steps/email.ts';
import { exit } from './steps/exit.ts';
import { goal } from './steps/goal.ts';
import type { StepKind } from './steps/kind.ts';
import { message } from './steps/message.ts';
import { notify } from './steps/notify.ts';
import { push } from './steps/push.ts';
import { score } from './steps/score.ts';
import { segment } from './steps/segment.ts';
import { sms } from './steps/sms.ts';
import { split } from './steps/split.ts';
import { updateContact } from './steps/update-contact.ts';
import { wait } from './steps/wait.ts';
import { waitForEvent } from './steps/wait-for-event.ts';
import { webhook } from './steps/webhook.ts';

/** The registry of step types. */
export const stepKinds = {
  EMAIL: email,
  SMS: sms,
  PUSH: push,
  MESSAGE: message,
  WAIT: wait,
  WAIT_FOR_EVENT: waitForEvent,
  CONDITION: condition,
  SPLIT: split,
  SEGMENT: segment,
  UPDATE_CONTACT: updateContact,
  SCORE: score,
  GOAL: goal,
  WEBHOOK: webhook,
  NOTIFY: notify,
  EXIT: exit,
} as const;

export type StepType = keyof typeof stepKinds;
export const STEP_TYPES = Object.keys(stepKinds) as StepType[];

/** A step of a valid definition: `next` is a step id, null for the end, absent for the following step. */
export type Step = {
  [T in StepType]: { id: string; type: T; config: Static<(typeof stepKinds)[T]['config']>; next?: string | null };
}[StepType];

/** The entry of a step type, or undefined when there is no such type. */
export function stepKind(type: unknown): StepKind | undefined {
  const known = STEP_TYPES.find((name) => name === type);
  return known && (stepKinds as Record<StepType, StepKind<TSchema>>)[known];
}
