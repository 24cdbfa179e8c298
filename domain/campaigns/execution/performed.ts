import type { Channel } from '../../../db/entities/channels.ts';
import { stableId } from '../../../lib/text/stable-id.ts';
import type { Entry } from '../../campaign-definitions/entry.ts';
import type { StepResult } from './advance.ts';
import type { Judged } from './judge.ts';

/** The execution whose step has an effect, with its position. */
export interface Performer extends Judged {
  campaignId: number;
  /** When the execution entered the step. */
  enteredAt: Date;
  stepId: string;
  visit: number;
  /** The journey's current time. */
  at: Date;
  frequencyCap: Entry['frequencyCap'];
  priority: Entry['priority'];
  /** The answer to the step's call, if it makes one. */
  answer: CallAnswer | undefined;
  /** The rendered texts of the step, for the visit with this send key. */
  texts: RenderedTexts | undefined;
}

/** In the order of `textsOf`; or why they cannot be rendered. */
export type RenderedTexts = { sendKey: string } & ({ texts: readonly string[] } | { failure: string });

/** What came of the call of a WEBHOOK step. */
export interface CallAnswer {
  ok: boolean;
  /** Without anything from the answer's body, which can contain personal data. */
  brief: string;
  /** For the step's record. */
  reason: string;
}

/** The outcome of an effect: the result for the interpreter, and the text for the step's record. */
export interface Performed {
  result: StepResult;
  recorded: string;
  reason: string | null;
}

export const success: Performed = { result: { kind: 'done' }, recorded: 'success', reason: null };

/** The id of what a visit of a step does: always the same, in the form of a UUID. */
export const causeId = ({ executionId, stepId, visit }: Performer): string =>
  stableId(`execution:${executionId}:${stepId}:${visit}`);

/** Identifies what a visit of a step sends: an email, a message or a notification. `channel`: if it may send by several. */
export const sendKeyOf = ({ executionId, stepId, visit }: Performer, channel?: Channel): string =>
  `execution:${executionId}:${stepId}:${visit}${channel === undefined ? '' : `:${channel}`}`;
