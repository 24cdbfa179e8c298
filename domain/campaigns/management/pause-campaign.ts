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

/** Timers run on, but no step is done until `resumeCampaign`. One that is PAUSED stays so. Throws 404, 409 unless ACTIVE. */
export async function pauseCampaign(em: EntityManager, author: Author, id: number): Promise<Campaign> {
  return em.transactional(async (tx) => {
    const campaign = await locked(tx, id);
    if (campaign.status === 'PAUSED') return campaign;
    if (campaign.status !== 'ACTIVE') throw new AppError('conflict', `The campaign is ${campaign.status}; only one that is ACTIVE can be paused`);
    campaign.status = 'PAUSED';
    await tx.flush();
    await appendAudit(tx, author, { action: 'campaign.paused', resourceType: 'campaign', resourceId: id, before: { status: 'ACTIVE' }, after: { status: 'PAUSED' } });
    return campaign;
  });
}

/**
 * Makes a paused campaign ACTIVE again; the workflow `campaignResume` wakes what came to a step meanwhile. One that is
 * ACTIVE stays so. Throws 404, 409 unless PAUSED.
 */
export async function resumeCampaign(em: EntityManager, author: Author, id: number): Promise<Campaign> {
  const { tenantId } = author;
  return em.transactional(async (tx) => {
    const campaign = await locked(tx, id);
    if (campaign.status === 'ACTIVE') return campaign;
    if (campaign.status !== 'PAUSED') throw new AppError('conflict', `The campaign is ${campaign.status}; only one that is PAUSED can be resumed`);
    campaign.status = 'ACTIVE';
    await tx.flush();
    await appendAudit(tx, author, { action: 'campaign.resumed', resourceType: 'campaign', resourceId: id, before: { status: 'PAUSED' }, after: { status: 'ACTIVE' } });
    await appendWorkflow(tx, 'campaignResume', { tenantId, campaignId: id, version: campaign.version });
    return campaign;
  });
}
