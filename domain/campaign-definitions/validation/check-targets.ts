import type { Violation } from '../../../lib/checks/errors.ts';
import { exitsOf, stepIndexes, targetIndex } from './flow.ts';
import { type Edge, instantLoops } from './loops.ts';
import type { ValidStep } from './valid-step.ts';

const MAX_SHOWN = 10;

/** A step: its name for messages, its id, its `next` as sent and, if its config fits, its other parts. */
export interface ListedStep {
  name: string;
  id: string;
  next: unknown;
  sound: ValidStep | undefined;
}

function dangling(steps: readonly ListedStep[], indexes: ReadonlyMap<string, number>): Violation[] {
  return steps.flatMap(({ name, next, sound }, index) => {
    const exits = sound ? exitsOf(sound.kind, sound.config) : [];
    const targets = exits.map(({ path, to }) => ({ path: `/config${sound!.pathOf(path)}`, to }));
    return [{ path: '/next', to: next }, ...targets].flatMap(({ path, to }) => {
      if (typeof to !== 'string' || indexes.has(to)) return [];
      const message = `${name}: there is no step ${JSON.stringify(to.slice(0, 64))}`;
      return [{ path: `/steps/${index}${path}`, code: 'unknown_step', message }];
    });
  });
}

function edgesOf(
  { next, sound }: ListedStep,
  index: number,
  count: number,
  indexes: ReadonlyMap<string, number>,
): Edge[] {
  // Where a step with an invalid part leads is unknown.
  if (!sound?.isWhole || sound.next !== next) return [];
  return exitsOf(sound.kind, sound.config).flatMap((exit) => {
    const to = targetIndex(exit, sound, index, count, indexes);
    if (typeof to !== 'number') return [];
    const named = exit.to !== undefined ? `/config${exit.path}` : sound.next !== undefined ? '/next' : '';
    return [{ to, path: `/steps/${index}${named}` }];
  });
}

/** Violations for targets that do not exist, and for loops without a WAIT that takes time. */
export function checkTargets(steps: readonly ListedStep[]): Violation[] {
  const indexes = stepIndexes(steps);
  const edges = steps.map((step, index) => edgesOf(step, index, steps.length, indexes));
  const takesTime = steps.map(({ sound }) => sound?.kind.takesTime?.(sound.config) ?? false);
  const loops = instantLoops(edges, takesTime).map(({ nodes, closing }) => {
    const shown = nodes.slice(0, MAX_SHOWN).map((node) => steps[node]!.id);
    const way = [...shown, ...(nodes.length > MAX_SHOWN ? ['…'] : []), steps[closing.to]!.id].join(' → ');
    const message = `${steps[nodes.at(-1)!]!.name}: closes a loop that contains no WAIT with a duration: ${way}`;
    return { path: closing.path, code: 'loop_without_wait', message };
  });
  return [...dangling(steps, indexes), ...loops];
}
