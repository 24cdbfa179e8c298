import { setImmediate as endOfTurn } from 'node:timers/promises';
import { engineEm, type EntityManager } from '../../db/orm.ts';
import type { Form } from '../../db/entities/forms.ts';
import { Batcher } from '../../domain/common/batcher.ts';
import { countAbandonments, type Abandonment } from '../../domain/forms/abandonment.ts';
import { countViews, type View } from '../../domain/forms/form-stats.ts';
import type { Deps } from '../../runtime/deps.ts';

const LARGEST_BATCH = 1000;

interface Waiting<Item> {
  item: Item;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Counts what many visitors do at once, one statement at a time: they would only wait for the same row, and each would
 * keep a connection to the database from others meanwhile.
 */
function counter<Item>(count: (em: EntityManager, items: Item[]) => Promise<void>) {
  const batchers = new WeakMap<Deps, Batcher<Waiting<Item>>>();
  const createBatcher = ({ orm }: Deps): Batcher<Waiting<Item>> =>
    new Batcher({
      gather: () => endOfTurn(),
      maxItems: LARGEST_BATCH,
      maxConcurrent: 1,
      handle: async (batch) => {
        try {
          await count(
            engineEm(orm),
            batch.map(({ item }) => item),
          );
          for (const { resolve } of batch) resolve();
        } catch (error) {
          for (const { reject } of batch) reject(error);
        }
      },
    });
  return (deps: Deps, item: Item): Promise<void> => {
    const batcher = batchers.get(deps) ?? createBatcher(deps);
    batchers.set(deps, batcher);
    return new Promise((resolve, reject) => batcher.add({ item, resolve, reject }));
  };
}

const view = counter<View>(countViews);
const abandonment = counter<Abandonment>(countAbandonments);

/** Counts a view of a form. Resolves when it is counted. */
export const countView = (deps: Deps, { id: formId, tenantId }: Form): Promise<void> =>
  view(deps, { tenantId, formId });

/**
 * Counts that a visitor left a form, having last touched the field of this name, or takes it back because the visitor
 * returned; resolves when that is done. Ignores names that the form has not.
 */
export async function countAbandonment(
  deps: Deps,
  { id: formId, tenantId, fields }: Form,
  { field, returned = false }: { field: string; returned?: boolean },
): Promise<void> {
  if (fields.some(({ name }) => name === field)) await abandonment(deps, { tenantId, formId, field, returned });
}
