import { LockMode } from '@mikro-orm/core';
import { Campaign } from '../../../db/entities/campaigns.ts';
import { retriedTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, notFound } from '../../common/errors.ts';
import { stopExecutions } from '../execution/stop-executions.ts';
import { appendWorkflow } from '../../../events/outbox.ts';

/**
 * Stops a campaign: no new entries, every running execution STOPPED at once, its queued mail SUPPRESSED. The workflows
 * are closed by `campaignStop`. One that is STOPPED already stays so. Throws 404, and 409 for one that never ran.
 */
export async function stopCampaign(em: EntityManager, author: Author, id: number): Promise<Campaign> {
  // Steps and consumers lock the same rows in their own order.
  return retriedTransaction(em, (tx) => stopOnce(tx, author, id));
}

async function stopOnce(tx: EntityManager, author: Author, id: number): Promise<Campaign> {
  const { tenantId } = author;
  const campaign = await tx.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!campaign) throw notFound('campaign', id);
  if (campaign.status === 'STOPPED') return campaign;
  if (campaign.status !== 'ACTIVE' && campaign.status !== 'PAUSED') {
    throw new AppError(
      'conflict',
      `The campaign is ${campaign.status}; only an ACTIVE or PAUSED campaign can be stopped`,
    );
  }
  const { status } = campaign;
  campaign.status = 'STOPPED';
  await tx.flush();
  await rows(
    tx,
    sql`
    update campaign_enrolments set status = 'CANCELLED', finished_at = now()
    where tenant_id = ${tenantId} and campaign_id = ${id} and status in ('PENDING', 'RUNNING')`,
  );
  const stopped = await stopExecutions(tx, tenantId, sql`e.campaign_id = ${id}`, 'campaign_stopped');
  if (stopped.length > 0)
    await appendWorkflow(tx, 'campaignStop', { tenantId, campaignIds: stopped, cause: `${id}/${campaign.version}` });
  await appendAudit(tx, author, {
    action: 'campaign.stopped',
    resourceType: 'campaign',
    resourceId: id,
    before: { status },
    after: { status: 'STOPPED' },
  });
  return campaign;
}
