import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Batcher } from '../../lib/async/batcher.ts';
import type { AppError } from '../../lib/checks/errors.ts';
import type { Deps } from '../../runtime/deps.ts';

const LARGEST_BATCH = 1000;

interface Waiting<Item> {
  item: Item;
  resolve: () => void;
  reject: (error: unknown) => void;
}

interface Limits {
  /** How many items may wait for a batch in a process; one more is refused. */
  most: number;
  refusal: () => AppError;
}

/**
 * Writes what many visitors do at once in batches, one at a time in a process: otherwise each would keep a connection
 * to the database from others. The function resolves when the item is written.
 */
export function inBatches<Item>(
  write: (deps: Deps, items: Item[]) => Promise<void>,
  limits?: Limits,
): (deps: Deps, item: Item) => Promise<void> {
  const batchers = new WeakMap<Deps, Batcher<Waiting<Item>>>();
  const createBatcher = (deps: Deps): Batcher<Waiting<Item>> =>
    new Batcher({
      gather: () => endOfTurn(),
      maxItems: LARGEST_BATCH,
      maxConcurrent: 1,
      handle: async (batch) => {
        try {
          await write(
            deps,
            batch.map(({ item }) => item),
          );
          for (const { resolve } of batch) resolve();
        } catch (error) {
          for (const { reject } of batch) reject(error);
        }
      },
    });
  return async (deps, item) => {
    const batcher = batchers.get(deps) ?? createBatcher(deps);
    batchers.set(deps, batcher);
    if (limits && batcher.size >= limits.most) throw limits.refusal();
    return new Promise((resolve, reject) => batcher.add({ item, resolve, reject }));
  };
}
