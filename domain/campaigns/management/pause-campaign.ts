import { LockMode } from '@mikro-orm/core';
import { Campaign } from '../../../db/entities/campaigns.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { appendWorkflow } from '../../../events/outbox.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { AppError, notFound } from '../../common/errors.ts';

async function locked(tx: EntityManager, id: number): Promise<Campaign> {
  const campaign = await tx.findOne(Campaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!campaign) throw notFound('campaign', id);
  return campaign;
}

/**
 * Pauses a campaign: timers continue, but no step runs until it is resumed. No-op if PAUSED. Throws 404, 409 if neither
 * ACTIVE nor PAUSED.
 */
export async function pauseCampaign(em: EntityManager, author: Author, id: number): Promise<Campaign> {
  return em.transactional(async (tx) => {
    const campaign = await locked(tx, id);
    if (campaign.status === 'PAUSED') return campaign;
    if (campaign.status !== 'ACTIVE')
      throw new AppError('conflict', `The campaign is ${campaign.status}; only an ACTIVE campaign can be paused`);
    campaign.status = 'PAUSED';
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'campaign.paused',
      resourceType: 'campaign',
      resourceId: id,
      before: { status: 'ACTIVE' },
      after: { status: 'PAUSED' },
    });
    return campaign;
  });
}

/**
 * Makes a paused campaign ACTIVE again. The workflow `campaignResume` wakes the executions that reached a step
 * meanwhile. No-op if ACTIVE. Throws 404, 409 if neither PAUSED nor ACTIVE.
 */
export async function resumeCampaign(em: EntityManager, author: Author, id: number): Promise<Campaign> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    const campaign = await locked(tx, id);
    if (campaign.status === 'ACTIVE') return campaign;
    if (campaign.status !== 'PAUSED')
      throw new AppError('conflict', `The campaign is ${campaign.status}; only a PAUSED campaign can be resumed`);
    campaign.status = 'ACTIVE';
    await tx.flush();
    await appendAudit(tx, author, {
      action: 'campaign.resumed',
      resourceType: 'campaign',
      resourceId: id,
      before: { status: 'PAUSED' },
      after: { status: 'ACTIVE' },
    });
    await appendWorkflow(tx, 'campaignResume', { tenantId, campaignId: id, version: campaign.version });
    return campaign;
  });
}
