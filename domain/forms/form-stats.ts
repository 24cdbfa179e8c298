import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { addCounts } from '../analytics/windows.ts';
import { rate } from '../common/rate.ts';
import { readAbandonment } from './abandonment.ts';

/** A view of a form. */
export interface View {
  tenantId: string;
  formId: number;
}

/** Counts views in the analytics windows: in total and per form. Engine `em`, because they are of any tenants. */
export async function countViews(em: EntityManager, views: readonly View[]): Promise<void> {
  const at = Date.now();
  const one = { metric: 'form_views', at, n: 1 } as const;
  await em.transactional((tx) =>
    addCounts(
      tx,
      views.flatMap(({ tenantId, formId }) => [
        { ...one, tenantId, dimension: '', id: 0 },
        { ...one, tenantId, dimension: 'form', id: formId },
      ]),
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
        where dimension = 'form' and minutes = 1440 and dimension_id = ${formId} and metric = 'form_views' group by 1) v
      full join (select submitted_at::date as day, count(*) as submissions from form_submissions where form_id = ${formId} group by 1) s on s.day = v.day
      order by 1`,
    );
    const views = series.reduce((sum, day) => sum + day.views, 0);
    const submissions = series.reduce((sum, day) => sum + day.submissions, 0);
    const abandonment = await readAbandonment(tx, formId);
    return { views, submissions, conversionRate: rate(submissions, views), abandonment, series };
  });
}
