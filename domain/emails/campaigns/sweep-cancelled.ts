import type { EmailCampaign } from '../../../db/entities/email-campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';

const PAGE = 5_000;

/**
 * Suppresses emails of a campaign that was cancelled or has failed, those first that no sender has at this moment. Answers
 * how many are still open: one on a connection ends by itself, or comes back to be suppressed.
 */
export async function sweepCancelled(em: EntityManager, { tenantId, id, status }: EmailCampaign): Promise<{ swept: number; open: boolean }> {
  return em.transactional(async (tx) => {
    const mine = sql`tenant_id = ${tenantId} and campaign_id = ${id} and lane = 'bulk'`;
    const swept = await rows(tx, sql`
      update emails set status = 'SUPPRESSED', reason = ${`campaign_${status!.toLowerCase()}`}, holder = null, lease_until = null, updated_at = now()
      where tenant_id = ${tenantId} and id in (select id from emails where ${mine} and status = 'QUEUED' order by id limit ${PAGE} for update skip locked)
      returning id`);
    const [open] = await rows(tx, sql`select 1 from emails where ${mine} and status in ('QUEUED', 'SENDING') limit 1`);
    return { swept: swept.length, open: open !== undefined };
  });
}
