import { LockMode } from '@mikro-orm/core';
import { Campaign } from '../../db/entities/campaigns.ts';
import { isRetryable } from '../../db/errors.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Origin } from '../../events/outbox.ts';
import { AppError, notFound } from '../errors.ts';
import { appendStop, stopExecutions } from './stop-executions.ts';

const TRIES = 5;

/**
 * Stops a campaign: no new entries, every running execution STOPPED at once, its queued mail SUPPRESSED. The workflows
 * are closed by `campaignStop`. One that is STOPPED already stays so. Throws 404, and 409 for one that never ran.
 */
export async function stopCampaign(em: EntityManager, { tenantId }: Origin, id: number): Promise<Campaign> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await em.fork().transactional((tx) => stopOnce(tx, tenantId, id));
    } catch (error) {
      // Steps and consumers lock the same rows in their own order.
      if (tries === TRIES || !isRetryable(error)) throw error;
    }
  }
}

async function stopOnce(tx: EntityManager, tenantId: string, id: number): Promise<Campaign> {
  const campaign = await tx.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!campaign) throw notFound('campaign', id);
  if (campaign.status === 'STOPPED') return campaign;
  if (campaign.status !== 'ACTIVE' && campaign.status !== 'PAUSED') {
    throw new AppError('conflict', `The campaign is ${campaign.status}; only one that is ACTIVE or PAUSED can be stopped`);
  }
  campaign.status = 'STOPPED';
  await tx.flush();
  await rows(tx, sql`
    update campaign_enrolments set status = 'CANCELLED', finished_at = now()
    where tenant_id = ${tenantId} and campaign_id = ${id} and status in ('PENDING', 'RUNNING')`);
  const stopped = await stopExecutions(tx, tenantId, sql`e.campaign_id = ${id}`, 'campaign_stopped');
  if (stopped.length > 0) await appendStop(tx, tenantId, stopped, `${id}/${campaign.version}`);
  return campaign;
}
