import type { FilterEvent } from '../../../events/contracts.ts';
import type { Definition, PublishedDefinition } from '../../campaign-definitions/definition.ts';
import { shortSummary } from '../../campaign-definitions/names.ts';
import { exitsOf, stepIndexes, targetIndex } from '../../campaign-definitions/validation/flow.ts';
import { type Step, type StepType, stepKind } from '../../campaign-definitions/step-kinds.ts';
import type { Effect, Moment, StepKind } from '../../campaign-definitions/steps/kind.ts';
import type { Filter } from '../../membership/filter/filter.ts';

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
  /** The indexes of the goals that were met; absent = none. */
  met?: number[];
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
  /**
   * What the execution waits for may have happened already: the step must be run once after the commit, which then
   * answers how long to wait. Events from before the commit would otherwise be missed.
   */
  looks?: true;
}

/** COMPLETED: reached the end, `currentStep` = number of steps. STOPPED: left early, `currentStep` = its last step. */
export type End =
  | { status: 'COMPLETED'; currentStep: number; exitReason: null }
  | { status: 'STOPPED'; currentStep: number; exitReason: string };

/** An execution at a step. */
export interface Entered {
  next: NextStep;
  position: Position;
}
export type Outcome = Entered | { end: End };

/** The result of a step's `Effect`. */
export type StepResult =
  | { kind: 'done' }
  /** A gate suppressed the email. Continues like `done`. */
  | { kind: 'suppressed' }
  /** The exit of a branching step: an index, or null if nothing matched. */
  | { kind: 'branch'; matched: number | null }
  /** Whether the goal is met. Continues like `done`. */
  | { kind: 'goal'; met: boolean }
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

function at(definition: PublishedDefinition, position: Position, now: Date): Entered {
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
  if (before.met) position.met = before.met;
  const { step, kind } = stepAt(definition, position);
  const due = kind.due?.(step.config, definition.entry, moment);
  if (due) position.waitUntil = later(position.waitUntil, due).toISOString();
  const { next } = at(definition, position, moment.now);
  const { waitUntil, ...withoutWait } = next;
  const looks = kind.endsEarly ?? (waitUntil !== undefined && openGoals(definition, position).length > 0);
  return { next: looks ? { ...withoutWait, looks: true } : next, position };
}

/** A goal of the definition that the execution has not met yet. */
export interface OpenGoal {
  stepIndex: number;
  stepId: string;
  filter: Filter;
}

/** The goals that an execution at `position` has not met, in the order of the steps. */
export function openGoals(definition: Definition, { met = [] }: Position): OpenGoal[] {
  return definition.steps.flatMap(({ id, type, config }, stepIndex) => {
    const filter = stepKind(type)?.goal?.(config);
    return filter && !met.includes(stepIndex) ? [{ stepIndex, stepId: id, filter }] : [];
  });
}

/** Leaves the step at `position`, whatever it waits for, and enters the step of a goal. */
export function jump(definition: Definition, position: Position, { stepIndex }: OpenGoal, moment: Moment): Entered {
  // A goal is a step, so this is not the end.
  return enter(definition, stepIndex, { ...position, waitUntil: null }, moment) as Entered;
}

/** The events that wake an execution at `position`. */
export function wokenBy(definition: Definition, position: Position): Set<FilterEvent> {
  const { step, kind } = stepAt(definition, position);
  const goals = openGoals(definition, position).map(({ stepIndex }) => definition.steps[stepIndex]!);
  return new Set([
    ...(kind.endsEarly ? (kind.wokenBy?.(step.config) ?? []) : []),
    ...goals.flatMap((goal) => [...(stepKind(goal.type)?.wokenBy?.(goal.config) ?? [])]),
  ]);
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
  const open = until !== null && until > moment.now ? until : null;
  if (open !== null && !kind.endsEarly) return { effect: 'wait', until: open };
  return kind.plan(step.config, definition.entry, moment, open);
}

/** Where an execution goes after the step at `position` with this result. Waits count from `moment.now`. */
export function advance(definition: Definition, position: Position, result: StepResult, moment: Moment): Outcome {
  const { step, kind } = stepAt(definition, position);
  const { stepIndex } = position;
  if ((result.kind === 'goal') !== (kind.goal !== undefined) && result.kind !== 'exit' && result.kind !== 'wait')
    throw new Error(`${result.kind} is no result of a ${step.type} step`);
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
  const met = result.kind === 'goal' && result.met ? { met: [...(position.met ?? []), stepIndex] } : {};
  // What the step waited for has happened before its time was over: the next wait counts from now.
  const early = kind.endsEarly && later(position.waitUntil, moment.now) > moment.now ? { waitUntil: null } : {};
  const left = { ...position, ...met, ...early };
  return enter(definition, target, left, { ...moment, now: later(left.waitUntil, moment.now) });
}
