import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** `: 1200 of 5000 SENT, 3800 QUEUED`, for the Temporal UI; nothing as long as there is no audience. */
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
