import type { Form } from '../../db/entities/forms.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';

/**
 * Counts that a visitor left the form, having last touched the field of this name; `returned` takes back one such
 * count, the latest, because its visitor came back. Ignores names that the form has not.
 */
export async function countAbandonment(
  em: EntityManager,
  form: Form,
  { field, returned = false }: { field: string; returned?: boolean },
): Promise<void> {
  if (!form.fields.some(({ name }) => name === field)) return;
  const { tenantId, id } = form;
  const ofField = sql`tenant_id = ${tenantId} and form_id = ${id} and field = ${field} and count > 0`;
  await em.transactional((tx) =>
    rows(
      tx,
      returned
        ? sql`
    update form_abandonments set count = count - 1
    where ${ofField} and day = (select max(day) from form_abandonments where ${ofField})`
        : sql`
    insert into form_abandonments (tenant_id, form_id, field, day, count) values (${tenantId}, ${id}, ${field}, current_date, 1)
    on conflict (tenant_id, form_id, field, day) do update set count = form_abandonments.count + 1`,
    ),
  );
}

/** How often a form was left, by the field that was touched last; the most frequent first. */
export const readAbandonment = (tx: EntityManager, formId: number): Promise<{ field: string; count: number }[]> =>
  rows(
    tx,
    sql`
    select field, sum(count)::bigint as count from form_abandonments where form_id = ${formId} and count > 0
    group by field order by count desc, field`,
  );
