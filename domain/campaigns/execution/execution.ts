import { type Effect, type Entered, type Moment, type NextStep, type Position, advance, plan } from './advance.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import type { ExecutionInput } from '../../../registry/workflows.ts';
import type { StepType } from '../../campaign-definitions/step-kinds.ts';

/** The current step of an execution, as passed to its workflow. No personal data. */
export interface Ahead {
  /** The number of committed step transitions. Calls of `runStep` pass it, so that a repeated call is recognised. */
  seq: number;
  stepId: string;
  type: StepType;
  summary: string;
  /** The step must not run before this time (RFC 3339, UTC). */
  waitUntil?: string;
  /**
   * The next step with an effect; the activity is named after it. Differs from the current step if that is a WAIT: the
   * end of a WAIT has no effect, so it is committed together with the step that follows.
   */
  runs: { stepId: string; type: StepType; summary: string };
  /**
   * Only in the first one of an execution: the step at which it will first wait, decide or call. The workflow is shown
   * there from its start, which costs no event of its history.
   */
  rests?: { stepId: string; type: StepType };
  /** Present after the execution was moved to this version of its campaign. */
  campaignVersion?: number;
}

/** What is stored in `campaign_executions.state`. */
export interface ExecutionState {
  position: Position;
  /** When the execution entered its current step (RFC 3339, UTC). */
  enteredAt: string;
  ahead: Ahead;
}

/** The input of a `campaignExecution` workflow. */
export interface ExecutionStart extends ExecutionInput {
  ahead: Ahead;
}

export interface StepRequest {
  tenantId: string;
  executionId: number;
  runSeq: number;
  seq: number;
  /** The workflow's time in ms since 1970: journeys use Temporal's clock, which tests can advance. */
  at: number;
}

/** `parked`: the campaign is paused; run the step again when woken. `end`: the execution has ended. */
export type StepAnswer = { ahead: Ahead } | { parked: true } | { end: true };

/** The `Ahead` for the step to which an outcome of the interpreter leads. */
export function aheadOf(definition: Definition, seq: number, { next, position }: Entered, moment: Moment): Ahead {
  const { stepId, type, summary, waitUntil } = next;
  const runs = next.looks ? next : runsNext(definition, { next, position }, moment);
  return {
    seq,
    stepId,
    type,
    summary,
    ...(waitUntil ? { waitUntil } : {}),
    runs: { stepId: runs.stepId, type: runs.type, summary: runs.summary },
  };
}

/** The first step from here on with an effect; if there is none, the last step that is reached without a wait. */
function runsNext(definition: Definition, from: Entered, { now, timezone }: Moment): NextStep {
  let at = from;
  // The time when the current wait will be over.
  const moment = { now: new Date(Math.max(now.getTime(), Date.parse(at.next.waitUntil ?? '') || 0)), timezone };
  for (;;) {
    if (plan(definition, at.position, moment).effect !== 'none') return at.next;
    const outcome = advance(definition, at.position, { kind: 'done' }, moment);
    if ('end' in outcome || outcome.next.waitUntil || outcome.next.looks) return at.next;
    at = outcome;
  }
}

const PASSED_AT_ONCE: readonly Effect['effect'][] = [
  ...(['none', 'email', 'message', 'choose', 'membership', 'update', 'score', 'notify'] as const),
];

/** The first step on the way that is not passed at once; if there is none, the last step. */
export function firstRest(definition: Definition, from: Entered, moment: Moment): NextStep {
  let at = from;
  for (;;) {
    if (at.next.waitUntil || at.next.looks) return at.next;
    if (!PASSED_AT_ONCE.includes(plan(definition, at.position, moment).effect)) return at.next;
    const outcome = advance(definition, at.position, { kind: 'done' }, moment);
    if ('end' in outcome) return at.next;
    at = outcome;
  }
}
