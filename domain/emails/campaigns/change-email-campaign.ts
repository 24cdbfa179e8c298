import type { EmailCampaign, EmailCampaignStatus } from '../../../db/entities/email-campaigns.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { appendWorkflow } from '../../../events/outbox.ts';
import { appendAudit, type AuditEvent, type Author } from '../../audit/audit.ts';
import { AppError } from '../../common/errors.ts';
import { assertReferences, lockEmailCampaign } from './find-email-campaign.ts';
import { openRun } from './open-run.ts';
import { startOf } from './schedule.ts';

/** Has its workflow look at the campaign again; it is started where it does not run. */
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
): Promise<EmailCampaign> {
  const before = { status: campaign.status ?? 'DRAFT' };
  campaign.status = status;
  await tx.flush();
  await wakeCampaign(tx, campaign);
  await appendAudit(tx, author, {
    action,
    resourceType: 'email_campaign',
    resourceId: campaign.id,
    before,
    after: { status },
  });
  return campaign;
}

const refused = (status: EmailCampaignStatus | undefined, wanted: string): AppError =>
  new AppError('conflict', `The campaign is ${status}; ${wanted}`);

/** Lets a DRAFT go out, at once or when its time has come. */
export async function beginMailing(tx: EntityManager, author: Author, campaign: EmailCampaign): Promise<EmailCampaign> {
  campaign.scheduleType ??= 'immediate';
  const now = new Date();
  if (campaign.scheduleType === 'immediate') openRun(campaign, now);
  else campaign.nextRunAt = startOf(campaign, now);
  return change(
    tx,
    author,
    campaign,
    'email_campaign.started',
    campaign.scheduleType === 'immediate' ? 'SENDING' : 'SCHEDULED',
  );
}

/** `POST …/send`: a DRAFT goes out by its schedule, without one at once. One that is on its way stays so. Throws 404, 409. */
export async function sendEmailCampaign(em: EntityManager, author: Author, id: number): Promise<EmailCampaign> {
  return em.transactional(async (tx) => {
    const campaign = await lockEmailCampaign(tx, id);
    if (campaign.status === 'SENDING' || campaign.status === 'SCHEDULED') return campaign;
    if (campaign.status !== 'DRAFT') throw refused(campaign.status, 'only a DRAFT can be sent');
    await assertReferences(tx, campaign);
    return beginMailing(tx, author, campaign);
  });
}

/** What is not on a connection at this moment stays QUEUED until it is resumed, and one that waits for its time does not begin. Throws 404, 409 unless SENDING or SCHEDULED. */
export async function pauseEmailCampaign(em: EntityManager, author: Author, id: number): Promise<EmailCampaign> {
  return em.transactional(async (tx) => {
    const campaign = await lockEmailCampaign(tx, id);
    if (campaign.status === 'PAUSED') return campaign;
    if (campaign.status !== 'SENDING' && campaign.status !== 'SCHEDULED')
      throw refused(campaign.status, 'only a SENDING or SCHEDULED campaign can be paused');
    return change(tx, author, campaign, 'email_campaign.paused', 'PAUSED');
  });
}

/** Goes on with what is still QUEUED, or with waiting: what it was paused over is left out by a recurring one, any other begins at once. Throws 404, 409 unless PAUSED. */
export async function resumeEmailCampaign(em: EntityManager, author: Author, id: number): Promise<EmailCampaign> {
  return em.transactional(async (tx) => {
    const campaign = await lockEmailCampaign(tx, id);
    if (campaign.status === 'SENDING' || campaign.status === 'SCHEDULED') return campaign;
    if (campaign.status !== 'PAUSED') throw refused(campaign.status, 'only a PAUSED campaign can be resumed');
    if (campaign.nextRunAt != null) {
      campaign.nextRunAt = startOf(campaign, new Date());
      return change(tx, author, campaign, 'email_campaign.resumed', 'SCHEDULED');
    }
    // What was put back while it was paused is requested again.
    campaign.requestedTo = 0;
    return change(tx, author, campaign, 'email_campaign.resumed', 'SENDING');
  });
}

/** Nothing more goes out: what is still QUEUED becomes SUPPRESSED. Throws 404, 409 for a DRAFT and for one that has ended. */
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
