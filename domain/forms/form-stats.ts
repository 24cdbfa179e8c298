import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { rate } from '../analytics/read-figures.ts';
import { readAbandonment } from './abandonment.ts';

/** A view of a form. */
export interface View {
  tenantId: string;
  formId: number;
}

/**
 * Counts views in the analytics windows: in total and per form, always in this order, to avoid deadlocks. Engine `em`,
 * because they are of any tenants.
 */
export async function countViews(em: EntityManager, views: readonly View[]): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    insert into analytics_windows (tenant_id, metric, dimension, dimension_id, at, count)
    select v.tenant_id, 'form_views', d.dimension, d.id, date_bin('5 minutes', now(), 'epoch'), count(*)
    from unnest(${views.map(({ tenantId }) => tenantId)}::text[], ${views.map(({ formId }) => formId)}::bigint[]) v(tenant_id, form_id)
    cross join lateral (values ('', 0), ('form', v.form_id)) d(dimension, id)
    group by v.tenant_id, d.dimension, d.id order by v.tenant_id, d.dimension, d.id
    on conflict (tenant_id, metric, dimension, dimension_id, at) do update set count = analytics_windows.count + excluded.count`,
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
