import type { EmailCampaign } from '../../../db/entities/email-campaigns.ts';
import type { EmailSettings } from '../../../domain/channels/settings/settings.ts';
import type { Email } from '../../../db/entities/emails.ts';
import { addressesNow } from '../../../domain/email-campaigns/list-email-campaigns.ts';
import type { EntityManager } from '../../../db/orm.ts';

export function presentEmailCampaign(campaign: EmailCampaign) {
  const segmentId = campaign.segmentId ?? null;
  return {
    id: campaign.id,
    name: campaign.name,
    templateId: campaign.templateId ?? null,
    segmentId,
    listId: segmentId,
    scheduleType: campaign.scheduleType ?? null,
    scheduledAt: campaign.scheduledAt ?? null,
    cron: campaign.cron ?? null,
    timezone: campaign.timezone ?? null,
    ratePerMinute: campaign.ratePerMinute ?? null,
    priority: campaign.priority,
    variants: campaign.variants ?? null,
    winner: campaign.winner ?? null,
    winnerVariant: campaign.winnerVariant ?? null,
    status: campaign.status,
    error: campaign.error ?? null,
    pauseReason: campaign.pauseReason ?? null,
    nextRunAt: campaign.nextRunAt ?? null,
    startedAt: campaign.startedAt ?? null,
    finishedAt: campaign.finishedAt ?? null,
    tenantId: campaign.tenantId,
    version: campaign.version,
    createdAt: campaign.createdAt,
    updatedAt: campaign.updatedAt,
  };
}

/** Recipients with the address that their email was sent to, or else would be. */
export async function presentRecipients(emails: Email[], em: EntityManager) {
  const addresses = await addressesNow(em, emails);
  return emails.map((email) => presentRecipient(email, addresses.get(email.contactId ?? 0) ?? null));
}

function presentRecipient(email: Email, address: string | null) {
  return {
    emailId: email.id,
    contactId: email.contactId ?? null,
    email: email.toAddress ?? address,
    status: email.status,
    reason: email.reason ?? null,
    variant: email.variant ?? null,
    templateId: email.templateId,
    dueAt: email.dueAt ?? null,
    sentAt: email.sentAt ?? null,
    createdAt: email.createdAt,
    updatedAt: email.updatedAt,
  };
}

export const presentEmailSettings = ({ frequencyCap, sendWindow, version }: EmailSettings) => ({
  frequencyCap,
  sendWindow,
  version,
});
