import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** `: of 5000 emails 3800 QUEUED, 1200 SENT`, for the Temporal UI; empty before there is an audience. */
export async function describeProgress(em: EntityManager, tenantId: string, campaignId: number): Promise<string> {
  const counts = await em.fork().transactional((tx) =>
    rows<{ status: string; n: number }>(
      tx,
      sql`
    select status, count(*) as n from emails where tenant_id = ${tenantId} and campaign_id = ${campaignId} and lane = 'bulk' group by status order by n desc`,
    ),
  );
  if (counts.length === 0) return '';
  return `: of ${counts.reduce((sum, { n }) => sum + n, 0)} emails ${counts.map(({ status, n }) => `${n} ${status}`).join(', ')}`;
}
