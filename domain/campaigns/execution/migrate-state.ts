import { isDeepStrictEqual } from 'node:util';
import { stepKind } from '../../campaign-definitions/step-kinds.ts';
import type { Definition, PublishedDefinition } from '../../campaign-definitions/definition.ts';
import { advance, type Moment, type NextStep, type Position } from './advance.ts';
import { type Ahead, aheadOf, type ExecutionState } from './execution.ts';

/** Two published versions of a campaign, and where steps of `from` continue that are not the same by their id. */
export interface VersionChange {
  from: Definition;
  to: PublishedDefinition;
  /** The number of `to`. */
  version: number;
  /** Step ids of `to` by step ids of `from`. */
  map: Readonly<Record<string, string>>;
}

/** `step_gone`: `to` has no such step. `type_changed`: it has one of another type, and `map` does not name it. */
export type BlockedReason = 'step_gone' | 'type_changed';

/**
 * Where an execution at a step of `from` continues: the index of a step in `to`. `isSame` = the step is of the same type,
 * so that the time already waited counts; otherwise the execution arrives at it anew.
 */
export type Target = { index: number; isSame: boolean } | { blocked: BlockedReason };

const mapped = (map: VersionChange['map'], stepId: string): string =>
  Object.hasOwn(map, stepId) ? map[stepId]! : stepId;

export function targetOf({ from, to, map }: Omit<VersionChange, 'version'>, stepId: string): Target {
  const index = to.steps.findIndex(({ id }) => id === mapped(map, stepId));
  if (index === -1) return { blocked: 'step_gone' };
  const isSame = from.steps.find(({ id }) => id === stepId)?.type === to.steps[index]!.type;
  // Who maps a step to one of another type says that executions go on there.
  return isSame || Object.hasOwn(map, stepId) ? { index, isSame } : { blocked: 'type_changed' };
}

/**
 * How many times each step of `to` was entered. A step that keeps its id keeps its count, also if it was not in `from`
 * but in a version before that: `recorded` has the highest visit in the execution's records, by step id. The visits of a
 * step that is mapped to another count for that one. So no visit has a number, and no email a send key, that was used.
 */
function visitsIn(change: VersionChange, { visits }: Position, recorded: ReadonlyMap<string, number>): number[] {
  const counts = new Map(recorded);
  for (const [index, { id }] of change.from.steps.entries())
    counts.set(id, Math.max(counts.get(id) ?? 0, visits[index] ?? 0));
  const total = new Map(counts);
  for (const [index, { id }] of change.from.steps.entries()) {
    const other = mapped(change.map, id);
    if (other !== id) total.set(other, (total.get(other) ?? 0) + (visits[index] ?? 0));
  }
  return change.to.steps.map(({ id }) => total.get(id) ?? 0);
}

/**
 * When the execution may go on. Who is at the same step keeps the time already waited: the wait is that of the new
 * config, from the moment of entry. Who arrives at another step waits as everybody who enters it now. Never before now.
 */
function waitIn(
  change: VersionChange,
  { position, enteredAt }: ExecutionState,
  index: number,
  isSame: boolean,
  moment: Moment,
): Date | null {
  const { from, to } = change;
  const { type, config } = to.steps[index]!;
  const old = from.steps[position.stepIndex]!;
  const current = position.waitUntil === null ? null : new Date(position.waitUntil);
  if (isSame && isDeepStrictEqual(old.config, config) && isDeepStrictEqual(from.entry, to.entry)) return current;
  const entered = isSame ? new Date(enteredAt) : moment.now;
  const due = stepKind(type)?.due?.(config, to.entry, { ...moment, now: entered }) ?? null;
  return due !== null && due > moment.now ? due : moment.now;
}

/** The goals that were met, by index; a version whose steps have none has no such list. */
function metIn(change: VersionChange, position: Position): { met?: number[] } {
  const { met } = position;
  if (!met) return {};
  const ids = new Set(met.map((index) => mapped(change.map, change.from.steps[index]!.id)));
  return { met: change.to.steps.flatMap(({ id }, index) => (ids.has(id) ? [index] : [])) };
}

/**
 * The state of an execution of `from` as one of `to`, with the sequence number `seq`; or why it cannot be moved. The
 * step is run once right after, which answers how long to wait: what it waits for may have changed. Pure.
 */
export function migrateState(
  change: VersionChange,
  state: ExecutionState,
  recorded: ReadonlyMap<string, number>,
  seq: number,
  moment: Moment,
): { state: ExecutionState; stepId: string; currentStep: number } | { blocked: BlockedReason } {
  const { to, version } = change;
  const { position } = state;
  const target = targetOf(change, change.from.steps[position.stepIndex]!.id);
  if ('blocked' in target) return target;
  const { index, isSame } = target;
  const until = waitIn(change, state, index, isSame, moment);
  const moved: Position = {
    ...position,
    stepIndex: index,
    visits: visitsIn(change, position, recorded),
    waitUntil: until && until.toISOString(),
    ...metIn(change, position),
  };
  const here = stay(to, moved, moment);
  const { waitUntil, ...ahead }: Ahead = aheadOf(to, seq, here, moment);
  const { stepId, type, summary } = ahead;
  return {
    stepId,
    currentStep: index,
    state: {
      position: moved,
      enteredAt: isSame ? state.enteredAt : moment.now.toISOString(),
      ahead: {
        ...ahead,
        ...(waitUntil === undefined ? {} : { runs: { stepId, type, summary } }),
        campaignVersion: version,
      },
    },
  };
}

/** The step at a position, in the same visit. */
function stay(definition: Definition, position: Position, moment: Moment): { next: NextStep; position: Position } {
  const until = position.waitUntil === null ? moment.now : new Date(position.waitUntil);
  return advance(definition, position, { kind: 'wait', until }, moment) as { next: NextStep; position: Position };
}
