import { LockMode } from '@mikro-orm/core';
import { Campaign } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, asService } from '../../audit/audit.ts';
import { ADMIN_ROLE } from '../../auth/access/built-in-roles.ts';
import { pauseRefusedMailing } from '../../email-campaigns/change-email-campaign.ts';
import { queueNotices } from '../../emails/system-mail/queue-notice.ts';

/** A campaign, or email campaign, whose emails mail providers refuse, and why. */
export interface RefusedCampaign {
  tenantId: string;
  campaignId: number;
  /** Names the refusal that was one too many, so that the Admins are told once. */
  cause: string;
  reason: string;
}

/**
 * Pauses a campaign that sends, and queues an email about it to the Admins, in one transaction of its tenant. Returns
 * whether it did: false if the campaign is paused already or has ended.
 */
export async function pauseRefusedCampaign(em: EntityManager, refused: RefusedCampaign): Promise<boolean> {
  const { tenantId, campaignId, reason } = refused;
  return em.transactional(async (tx) => {
    const name =
      (await pauseRefusedMailing(tx, asService(tenantId), campaignId, reason)) ?? (await pauseJourney(tx, refused));
    if (name === null) return false;
    await tellAdmins(tx, name, refused);
    return true;
  });
}

/** Pauses an ACTIVE campaign; returns its name, or null if there is none. */
async function pauseJourney(
  tx: EntityManager,
  { tenantId, campaignId, reason }: RefusedCampaign,
): Promise<string | null> {
  const campaign = await tx.findOne(Campaign, { id: campaignId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (campaign?.status !== 'ACTIVE') return null;
  Object.assign(campaign, { status: 'PAUSED', pauseReason: reason });
  await tx.flush();
  await appendAudit(tx, asService(tenantId), {
    action: 'campaign.paused',
    resourceType: 'campaign',
    resourceId: campaignId,
    before: { status: 'ACTIVE' },
    after: { status: 'PAUSED', reason },
  });
  return campaign.name;
}

async function tellAdmins(
  tx: EntityManager,
  name: string,
  { tenantId, campaignId, cause, reason }: RefusedCampaign,
): Promise<void> {
  const admins = await rows<{ id: number; email: string }>(
    tx,
    sql`select id, email from users where tenant_id = ${tenantId} and active and ${ADMIN_ROLE} = any(roles) order by id`,
  );
  await queueNotices(
    tx,
    tenantId,
    admins.map((admin) => ({
      to: admin.email,
      subject: `The campaign “${name}” is paused: its emails are refused`,
      body: [
        `The campaign “${name}” is paused. ${reason}`,
        '',
        'Nobody was suppressed, and no email is lost: what was not sent waits until the campaign is resumed. Resume it when the cause is mended.',
        `Campaign ${campaignId}`,
      ].join('\n'),
      lane: 'transactional',
      requestId: null,
      sendKey: `campaign-refused/${campaignId}/${cause}/${admin.id}`,
    })),
  );
}
