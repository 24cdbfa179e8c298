import { engineEm } from '../../db/orm.ts';
import type { Form } from '../../db/entities/forms.ts';
import { countAbandonments, type Abandonment } from '../../domain/forms/abandonment.ts';
import { countViews, type View } from '../../domain/forms/form-stats.ts';
import type { Deps } from '../../runtime/deps.ts';
import { inBatches } from '../route/in-batches.ts';

// All at once would only wait for the same row.
const view = inBatches<View>(({ orm }, views) => countViews(engineEm(orm), views));
const abandonment = inBatches<Abandonment>(({ orm }, items) => countAbandonments(engineEm(orm), items));

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
