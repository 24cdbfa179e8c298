import { LockMode } from '@mikro-orm/core';
import { Campaign } from '../../../db/entities/campaigns.ts';
import { freshTransaction, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';
import { stopExecutions } from '../execution/stop-executions.ts';
import { appendWorkflow } from '../../../events/outbox.ts';
import { scheduleFollows } from './schedule-follows.ts';

/**
 * Stops a campaign: no new entries, all running executions STOPPED, their QUEUED emails and messages SUPPRESSED. The workflow
 * `campaignStop` closes the workflows. No-op if STOPPED. Throws 404, and 409 if neither ACTIVE, PAUSED nor STOPPED.
 */
export async function stopCampaign(em: EntityManager, author: Author, id: number): Promise<Campaign> {
  // Retried, because steps and consumers lock the same rows in another order, which can deadlock.
  return freshTransaction(em, (tx) => stopOnce(tx, author, id));
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
  const stopped = await stopExecutions(tx, tenantId, sql`e.campaign_id = ${id}`, 'campaign_stopped');
  const closingTotal = await countToClose(tx, tenantId, id);
  Object.assign(campaign, { status: 'STOPPED', pauseReason: null, closingTotal });
  await tx.flush();
  await rows(
    tx,
    sql`
    update campaign_enrolments set status = 'CANCELLED', finished_at = now()
    where tenant_id = ${tenantId} and campaign_id = ${id} and status in ('PENDING', 'RUNNING')`,
  );
  await rows(
    tx,
    sql`
    update campaign_migrations set status = 'CANCELLED', finished_at = now()
    where tenant_id = ${tenantId} and campaign_id = ${id} and status = 'RUNNING'`,
  );
  if (stopped.length > 0)
    await appendWorkflow(tx, 'campaignStop', { tenantId, campaignIds: stopped, cause: `${id}/${campaign.version}` });
  await appendAudit(tx, author, {
    action: 'campaign.stopped',
    resourceType: 'campaign',
    resourceId: id,
    before: { status },
    after: { status: 'STOPPED' },
  });
  await scheduleFollows(tx, campaign);
  return campaign;
}

/** The workflows to be closed: of this stop, and of single executions that were stopped a moment ago. */
async function countToClose(tx: EntityManager, tenantId: string, id: number): Promise<number> {
  const [found] = await rows<{ n: number }>(
    tx,
    sql`select count(*) as n from campaign_executions where tenant_id = ${tenantId} and campaign_id = ${id} and sweep`,
  );
  return found!.n;
}
