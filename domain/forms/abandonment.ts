import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** That a visitor left a form, having last touched the field of this name. */
export interface Abandonment {
  tenantId: string;
  formId: number;
  field: string;
}

/** Counts that visitors left forms, always in the same order, to avoid deadlocks. Engine `em`. */
export async function countAbandonments(em: EntityManager, left: readonly Abandonment[]): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    with alive as materialized (
      select tenant_id, id from forms where id = any(${left.map(({ formId }) => formId)}::bigint[]) order by id for key share)
    insert into form_abandonments (tenant_id, form_id, field, day, count)
    select a.tenant_id, a.form_id, a.field, current_date, count(*)
    from unnest(${left.map(({ tenantId }) => tenantId)}::text[], ${left.map(({ formId }) => formId)}::bigint[], ${left.map(({ field }) => field)}::text[])
      a(tenant_id, form_id, field)
    -- A form may have been deleted meanwhile.
    join alive f on f.tenant_id = a.tenant_id and f.id = a.form_id
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (tenant_id, form_id, field, day) do update set count = form_abandonments.count + excluded.count`,
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
