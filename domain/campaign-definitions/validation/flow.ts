import type { Exit, StepKind } from '../steps/kind.ts';

/** The parts of a step that determine where it leads. */
export interface FlowStep {
  id: string;
  next?: string | null;
}

/** The index of each step by its id. */
export function stepIndexes(steps: readonly { id: string }[]): Map<string, number> {
  return new Map(steps.map(({ id }, index) => [id, index]));
}

/**
 * Where an exit leads from the step at `index` of `count` steps: the index of a step, null for the end, undefined if
 * the target does not exist. An exit without a target leads to the step's `next` or, if that is absent, the following
 * step.
 */
export function targetIndex(
  { to }: Exit,
  { next }: FlowStep,
  index: number,
  count: number,
  indexes: ReadonlyMap<string, number>,
): number | null | undefined {
  const target = to === undefined ? next : to;
  if (target === undefined) return index + 1 < count ? index + 1 : null;
  return target === null ? null : indexes.get(target);
}

/** The exits of a step: those of its config, or one to its `next` or the following step. A step that stops has none. */
export function exitsOf(kind: StepKind, config: unknown): Exit[] {
  if (kind.stops !== undefined) return [];
  return kind.exits?.(config) ?? [{ path: '', to: undefined }];
}
