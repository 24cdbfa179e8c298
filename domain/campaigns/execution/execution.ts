import { type Moment, type NextStep, type Position, advance, plan } from './advance.ts';
import type { Definition } from '../definition/definition.ts';
import type { ExecutionInput } from '../../../workflows/registry.ts';
import type { StepType } from '../definition/step-kinds.ts';

/** The step that an execution is at, as its workflow is told. Ids and words of the definition, no personal data. */
export interface Ahead {
  /** How many step transitions are committed: a call of `runStep` names it, so that a call made again is known. */
  seq: number;
  stepId: string;
  type: StepType;
  summary: string;
  /** Nothing is to be done before this time (RFC 3339, UTC). */
  waitUntil?: string;
  /**
   * The step that does something next, which the activity is named after. It differs from the step itself where that is
   * a WAIT: its end asks for nothing, so it is committed with what follows.
   */
  runs: { stepId: string; type: StepType; summary: string };
}

/** What is stored in `campaign_executions.state`. */
export interface ExecutionState {
  position: Position;
  /** When the execution came to its step (RFC 3339, UTC). */
  enteredAt: string;
  ahead: Ahead;
}

/** What a `campaignExecution` workflow is started with. */
export interface ExecutionStart extends ExecutionInput {
  ahead: Ahead;
}

export interface StepRequest {
  tenantId: string;
  executionId: number;
  runSeq: number;
  seq: number;
  /** The workflow's time in ms since 1970: journeys live by Temporal's clock, which tests can skip. */
  at: number;
}

/** `parked`: the campaign is paused, run the step again when woken. `end`: the execution is over. */
export type StepAnswer = { ahead: Ahead } | { parked: true } | { end: true };

/** What the workflow is told of the step that an outcome of the interpreter leads to. */
export function aheadOf(
  definition: Definition,
  seq: number,
  { next, position }: { next: NextStep; position: Position },
  moment: Moment,
): Ahead {
  const { stepId, type, summary, waitUntil } = next;
  const runs = runsNext(definition, { next, position }, moment);
  return {
    seq,
    stepId,
    type,
    summary,
    ...(waitUntil ? { waitUntil } : {}),
    runs: { stepId: runs.stepId, type: runs.type, summary: runs.summary },
  };
}

/** The first step from here on that asks for something; where none does, the last one that is reached without a wait. */
function runsNext(
  definition: Definition,
  from: { next: NextStep; position: Position },
  { now, timezone }: Moment,
): NextStep {
  let at = from;
  // As it will be when the present wait is over.
  const moment = { now: new Date(Math.max(now.getTime(), Date.parse(at.next.waitUntil ?? '') || 0)), timezone };
  for (;;) {
    if (plan(definition, at.position, moment).effect !== 'none') return at.next;
    const outcome = advance(definition, at.position, { kind: 'done' }, moment);
    if ('end' in outcome || outcome.next.waitUntil) return at.next;
    at = outcome;
  }
}
