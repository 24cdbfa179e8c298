import { LockMode } from '@mikro-orm/core';
import { EmailCampaign, type EmailCampaignStatus } from '../../db/entities/email-campaigns.ts';
import type { EntityManager } from '../../db/orm.ts';
import { appendWorkflow } from '../../events/outbox.ts';
import { appendAudit, type AuditEvent, type Author } from '../audit/audit.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { assertReferences, lockEmailCampaign } from './find-email-campaign.ts';
import { startRun } from './open-run.ts';
import { startOf } from './schedule.ts';

/** Makes the campaign's workflow check the campaign again; starts the workflow if it is not running. */
export async function wakeCampaign(tx: EntityManager, { tenantId, id }: EmailCampaign): Promise<void> {
  await appendWorkflow(tx, 'emailCampaign', { tenantId, campaignId: id });
}

type Action = Extract<AuditEvent['action'], `email_campaign.${string}`>;

async function change(
  tx: EntityManager,
  author: Author,
  campaign: EmailCampaign,
  action: Action,
  status: EmailCampaignStatus,
  pauseReason: string | null = null,
): Promise<EmailCampaign> {
  const before = { status: campaign.status ?? 'DRAFT' };
  Object.assign(campaign, { status, pauseReason });
  await tx.flush();
  await wakeCampaign(tx, campaign);
  await appendAudit(tx, author, {
    action,
    resourceType: 'email_campaign',
    resourceId: campaign.id,
    before,
    after: { status, ...(pauseReason === null ? {} : { reason: pauseReason }) },
  });
  return campaign;
}

const refused = (status: EmailCampaignStatus | undefined, wanted: string): AppError =>
  new AppError('conflict', `The campaign is ${status}; ${wanted}`);

/** Starts a DRAFT, at once or at its scheduled time. */
export async function startEmailCampaign(
  tx: EntityManager,
  author: Author,
  campaign: EmailCampaign,
): Promise<EmailCampaign> {
  campaign.scheduleType ??= 'immediate';
  const now = new Date();
  if (campaign.scheduleType === 'immediate') startRun(campaign, now);
  else campaign.nextRunAt = startOf(campaign, now);
  return change(
    tx,
    author,
    campaign,
    'email_campaign.started',
    campaign.scheduleType === 'immediate' ? 'SENDING' : 'SCHEDULED',
  );
}

/**
 * `POST …/send`: starts a DRAFT by its schedule, or at once without one. No-op if SENDING or SCHEDULED. Throws 404,
 * 409.
 */
export async function sendEmailCampaign(em: EntityManager, author: Author, id: number): Promise<EmailCampaign> {
  return em.transactional(async (tx) => {
    const campaign = await lockEmailCampaign(tx, id);
    if (campaign.status === 'SENDING' || campaign.status === 'SCHEDULED') return campaign;
    if (campaign.status !== 'DRAFT') throw refused(campaign.status, 'only a DRAFT can be sent');
    await assertReferences(tx, campaign);
    return startEmailCampaign(tx, author, campaign);
  });
}

/**
 * Pauses a campaign: emails that are not being sent right now stay QUEUED until it is resumed, and a SCHEDULED
 * campaign does not start. No-op if PAUSED. Throws 404, 409 unless SENDING or SCHEDULED.
 */
export async function pauseEmailCampaign(em: EntityManager, author: Author, id: number): Promise<EmailCampaign> {
  return em.transactional(async (tx) => {
    const campaign = await lockEmailCampaign(tx, id);
    if (campaign.status === 'PAUSED') return campaign;
    if (campaign.status !== 'SENDING' && campaign.status !== 'SCHEDULED')
      throw refused(campaign.status, 'only a SENDING or SCHEDULED campaign can be paused');
    return change(tx, author, campaign, 'email_campaign.paused', 'PAUSED');
  });
}

/**
 * Pauses a SENDING campaign because its emails are refused. Returns its name; null if there is none that is SENDING.
 */
export async function pauseRefusedMailing(
  tx: EntityManager,
  author: Author,
  id: number,
  reason: string,
): Promise<string | null> {
  const campaign = await tx.findOne(EmailCampaign, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (campaign?.status !== 'SENDING') return null;
  await change(tx, author, campaign, 'email_campaign.paused', 'PAUSED', reason);
  return campaign.name;
}

/**
 * Resumes a PAUSED campaign: it continues with its QUEUED emails, or waits for its scheduled time again. If that time
 * has passed, a recurring campaign skips it and any other starts at once. No-op if SENDING or SCHEDULED. Throws 404,
 * 409 unless PAUSED.
 */
export async function resumeEmailCampaign(em: EntityManager, author: Author, id: number): Promise<EmailCampaign> {
  return em.transactional(async (tx) => {
    const campaign = await lockEmailCampaign(tx, id);
    if (campaign.status === 'SENDING' || campaign.status === 'SCHEDULED') return campaign;
    if (campaign.status !== 'PAUSED') throw refused(campaign.status, 'only a PAUSED campaign can be resumed');
    if (campaign.nextRunAt != null) {
      campaign.nextRunAt = startOf(campaign, new Date());
      return change(tx, author, campaign, 'email_campaign.resumed', 'SCHEDULED');
    }
    // Request again the emails that were put back while it was paused.
    campaign.requestedTo = 0;
    return change(tx, author, campaign, 'email_campaign.resumed', 'SENDING');
  });
}

/**
 * Cancels a campaign: its QUEUED emails become SUPPRESSED. No-op if CANCELLED. Throws 404, 409 if it is a DRAFT or has
 * ended.
 */
export async function cancelEmailCampaign(em: EntityManager, author: Author, id: number): Promise<EmailCampaign> {
  return em.transactional(async (tx) => {
    const campaign = await lockEmailCampaign(tx, id);
    if (campaign.status === 'CANCELLED') return campaign;
    if (campaign.status !== 'SCHEDULED' && campaign.status !== 'SENDING' && campaign.status !== 'PAUSED') {
      throw refused(campaign.status, 'only a SCHEDULED, SENDING or PAUSED campaign can be cancelled');
    }
    campaign.finishedAt = new Date();
    return change(tx, author, campaign, 'email_campaign.cancelled', 'CANCELLED');
  });
}
