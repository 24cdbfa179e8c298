import type { Form } from '../../db/entities/forms.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** Counts that a visitor left the form, having last touched the field of this name. Ignores names that it has not. */
export async function countAbandonment(em: EntityManager, form: Form, field: string): Promise<void> {
  if (!form.fields.some(({ name }) => name === field)) return;
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    insert into form_abandonments (tenant_id, form_id, field, day, count) values (${form.tenantId}, ${form.id}, ${field}, current_date, 1)
    on conflict (tenant_id, form_id, field, day) do update set count = form_abandonments.count + 1`,
    ),
  );
}

/** How often a form was left, by the field that was touched last; the most frequent first. */
export const readAbandonment = (tx: EntityManager, formId: number): Promise<{ field: string; count: number }[]> =>
  rows(
    tx,
    sql`
    select field, sum(count)::bigint as count from form_abandonments where form_id = ${formId}
    group by field order by count desc, field`,
  );
