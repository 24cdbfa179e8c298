import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Form } from '../../db/entities/forms.ts';
import { rate } from '../analytics/read-figures.ts';
import { readAbandonment } from './abandonment.ts';

/**
 * Counts a view of the form in the analytics windows: in total and per form, always in this order, to avoid deadlocks.
 */
export async function countView(em: EntityManager, form: Form): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    insert into analytics_windows (tenant_id, metric, dimension, dimension_id, at, count)
    select ${form.tenantId}, 'form_views', d, id, date_bin('5 minutes', now(), 'epoch'), 1 from (values ('', 0), ('form', ${form.id}::bigint)) v(d, id) order by d
    on conflict (tenant_id, metric, dimension, dimension_id, at) do update set count = analytics_windows.count + 1`,
    ),
  );
}

/**
 * Views, submissions and their ratio, in total and per day (UTC), and how often the form was left by the field that was
 * touched last.
 */
export async function readFormStats(em: EntityManager, formId: number) {
  return em.transactional(async (tx) => {
    const series = await rows<{ at: Date; views: number; submissions: number }>(
      tx,
      sql`
      select coalesce(v.day, s.day)::timestamptz as at, coalesce(v.views, 0)::bigint as views, coalesce(s.submissions, 0) as submissions
      from (
        select at::date as day, sum(count) as views from analytics_windows
        where metric = 'form_views' and dimension = 'form' and dimension_id = ${formId} group by 1) v
      full join (select submitted_at::date as day, count(*) as submissions from form_submissions where form_id = ${formId} group by 1) s on s.day = v.day
      order by 1`,
    );
    const views = series.reduce((sum, day) => sum + day.views, 0);
    const submissions = series.reduce((sum, day) => sum + day.submissions, 0);
    const abandonment = await readAbandonment(tx, formId);
    return { views, submissions, conversionRate: rate(submissions, views), abandonment, series };
  });
}
