import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** That a visitor left a form, having last touched the field of this name, or came back after leaving it so. */
export interface Abandonment {
  tenantId: string;
  formId: number;
  field: string;
  returned: boolean;
}

/**
 * Counts visitors who left forms, and takes back the latest counts of those who returned: counts of today or yesterday,
 * because anybody can say to have returned, and what was counted long ago must last. Always in the same order, to avoid
 * deadlocks. Engine `em`.
 */
export async function countAbandonments(em: EntityManager, told: readonly Abandonment[]): Promise<void> {
  const listed = told.map(({ formId, returned, ...one }) => ({ ...one, form: formId, n: returned ? -1 : 1 }));
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    with alive as materialized (
      select tenant_id, id from forms where id = any(${told.map(({ formId }) => formId)}::bigint[]) order by id for key share
    ), added as (
      select f.tenant_id, f.id, a.field, sum(a.n)::bigint as n
      from jsonb_to_recordset(${JSON.stringify(listed)}::jsonb) as a("tenantId" text, form bigint, field text, n int)
      -- A form may have been deleted meanwhile.
      join alive f on f.tenant_id = a."tenantId" and f.id = a.form
      group by 1, 2, 3
    ), dated as (
      select *, case when n > 0 then current_date else (
        select max(day) from form_abandonments b
        where b.tenant_id = a.tenant_id and b.form_id = a.id and b.field = a.field and b.count > 0
          and b.day >= current_date - 1) end as day
      from added a where n <> 0
    )
    insert into form_abandonments (tenant_id, form_id, field, day, count)
    select tenant_id, id, field, day, n from dated where day is not null order by 1, 2, 3
    on conflict (tenant_id, form_id, field, day) do update set count = greatest(0, form_abandonments.count + excluded.count)`,
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
