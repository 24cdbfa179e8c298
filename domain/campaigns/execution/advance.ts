import type { Definition, PublishedDefinition } from '../definition/definition.ts';
import { shortSummary } from '../definition/names.ts';
import { exitsOf, stepIndexes, targetIndex } from '../validation/flow.ts';
import { type Step, type StepType, stepKind } from '../definition/step-kinds.ts';
import type { Effect, Moment, StepKind } from '../definition/steps/kind.ts';

export type { Effect, Moment };

/**
 * The position of an execution: the interpreter's state between steps, as plain JSON, for one version of a definition.
 */
export interface Position {
  /** The index of the step that runs or waits. */
  stepIndex: number;
  /** How many times each step was entered, by index. */
  visits: number[];
  /**
   * The end of the current or last wait (RFC 3339, UTC); nothing runs before it. Kept after the wait, so that a machine
   * whose clock is behind cannot wait "until 09:00" twice on the same morning. Null = no wait yet.
   */
  waitUntil: string | null;
}

/** The next step, as shown by timers and records. */
export interface NextStep {
  stepId: string;
  type: StepType;
  currentStep: number;
  /** How many times the execution has entered the step, including this time; part of the send key. */
  visit: number;
  summary: string;
  /** Present only if the step has to wait (RFC 3339, UTC). */
  waitUntil?: string;
}

/** COMPLETED: reached the end, `currentStep` = number of steps. STOPPED: left early, `currentStep` = its last step. */
export type End =
  | { status: 'COMPLETED'; currentStep: number; exitReason: null }
  | { status: 'STOPPED'; currentStep: number; exitReason: string };

export type Outcome = { next: NextStep; position: Position } | { end: End };

/** The result of a step's `Effect`. */
export type StepResult =
  | { kind: 'done' }
  /** A gate suppressed the email. Continues like `done`. */
  | { kind: 'suppressed' }
  /** The exit of a branching step: an index, or null if nothing matched. */
  | { kind: 'branch'; matched: number | null }
  /** Too early: stays at the step, in the same visit. */
  | { kind: 'wait'; until: Date }
  /** Leaves the campaign from the current step: unsubscribed, contact deleted, … */
  | { kind: 'exit'; reason: string };

/**
 * The step at a position. Throws only on a bug, or for a position of another version: published definitions are valid.
 */
function stepAt(definition: Definition, { stepIndex }: Position): { step: Step; kind: StepKind } {
  const step = definition.steps[stepIndex];
  const kind = step && stepKind(step.type);
  if (!kind) throw new Error(`No step of a known type at index ${stepIndex}`);
  return { step, kind };
}

/** The later of a stored time and another. */
function later(floor: string | null, time: Date): Date {
  return floor !== null && new Date(floor) > time ? new Date(floor) : time;
}

function at(definition: PublishedDefinition, position: Position, now: Date): Outcome {
  const { step, kind } = stepAt(definition, position);
  const next: NextStep = {
    stepId: step.id,
    type: step.type,
    currentStep: position.stepIndex,
    visit: position.visits[position.stepIndex] ?? 1,
    summary: shortSummary(kind.summary(step.config, definition.names)),
  };
  if (position.waitUntil !== null && new Date(position.waitUntil) > now) next.waitUntil = position.waitUntil;
  return { next, position };
}

/** Enters a step (null = the end), and sets the time for which it has to wait, if any. */
function enter(
  definition: Definition,
  stepIndex: number | null,
  before: Omit<Position, 'stepIndex'>,
  moment: Moment,
): Outcome {
  const count = definition.steps.length;
  if (stepIndex === null || count === 0) return { end: { status: 'COMPLETED', currentStep: count, exitReason: null } };
  const position: Position = {
    stepIndex,
    visits: definition.steps.map((_step, index) => (before.visits[index] ?? 0) + (index === stepIndex ? 1 : 0)),
    waitUntil: before.waitUntil,
  };
  const { step, kind } = stepAt(definition, position);
  const due = kind.due?.(step.config, definition.entry, moment);
  if (due) position.waitUntil = later(position.waitUntil, due).toISOString();
  return at(definition, position, moment.now);
}

/** Enters the first step. Without steps, the execution is COMPLETED at once. */
export function begin(definition: Definition, moment: Moment): Outcome {
  return enter(definition, 0, { visits: [], waitUntil: null }, moment);
}

/**
 * The effect that the step at `position` requires now. If it is too early (woken too soon, or the send window has
 * closed in the meantime), `wait`. A pure function, so it can be called again after a crash.
 */
export function plan(definition: Definition, position: Position, moment: Moment): Effect {
  const { step, kind } = stepAt(definition, position);
  const until = position.waitUntil === null ? null : new Date(position.waitUntil);
  if (until !== null && until > moment.now) return { effect: 'wait', until };
  return kind.plan(step.config, definition.entry, moment);
}

/** Where an execution goes after the step at `position` with this result. Waits count from `moment.now`. */
export function advance(definition: Definition, position: Position, result: StepResult, moment: Moment): Outcome {
  const { step, kind } = stepAt(definition, position);
  const { stepIndex } = position;
  if (result.kind === 'wait') return at(definition, { ...position, waitUntil: result.until.toISOString() }, moment.now);
  const exitReason = result.kind === 'exit' ? result.reason : kind.stops;
  if (exitReason !== undefined) return { end: { status: 'STOPPED', currentStep: stepIndex, exitReason } };

  const exits = exitsOf(kind, step.config);
  if ((result.kind === 'branch') !== (kind.exits !== undefined)) {
    throw new Error(`${result.kind} is no result of a ${step.type} step`);
  }
  const matches = kind.mayMatchNothing ? exits.slice(0, -1) : exits;
  const isUnmatched = result.kind !== 'branch' || (result.matched === null && kind.mayMatchNothing);
  const exit = isUnmatched ? exits.at(-1) : matches[result.matched ?? -1];
  const target = exit && targetIndex(exit, step, stepIndex, definition.steps.length, stepIndexes(definition.steps));
  if (target === undefined) throw new Error(`Step ${step.id} has no way out for this result`);
  return enter(definition, target, position, { ...moment, now: later(position.waitUntil, moment.now) });
}
