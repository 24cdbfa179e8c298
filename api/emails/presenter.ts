import type { EmailCampaign } from '../../db/entities/email-campaigns.ts';
import type { EmailSettings } from '../../db/entities/email-senders.ts';
import type { EmailTemplate } from '../../db/entities/email-templates.ts';
import type { Email } from '../../db/entities/emails.ts';
import type { readTracking } from '../../domain/emails/history/read-tracking.ts';

export function presentTemplate(template: EmailTemplate) {
  return {
    id: template.id, name: template.name, subject: template.subject, content: template.content, text: template.text ?? null,
    previewText: template.previewText ?? null, category: template.category, topicId: template.topicId ?? null,
    fromName: template.fromName ?? null, fromEmail: template.fromEmail ?? null, replyTo: template.replyTo ?? null,
    contentVersion: template.contentVersion, tenantId: template.tenantId, version: template.version,
    createdAt: template.createdAt, updatedAt: template.updatedAt,
  };
}

export function presentEmail(email: Email) {
  return {
    id: email.id, templateId: email.templateId, contentVersion: email.contentVersion ?? null, contactId: email.contactId ?? null,
    to: email.toAddress ?? null, campaignId: email.campaignId ?? null, executionId: email.executionId ?? null, stepId: email.stepId ?? null,
    externalId: email.externalId ?? null, lane: email.lane, status: email.status, reason: email.reason ?? null, attempts: email.attempt,
    provider: email.provider ?? null, sentAt: email.sentAt ?? null, tenantId: email.tenantId, createdAt: email.createdAt, updatedAt: email.updatedAt,
  };
}

export function presentTracking({ email, figures, events }: Awaited<ReturnType<typeof readTracking>>) {
  return {
    emailId: email.id, status: email.status, opens: figures.opens, clicks: figures.clicks,
    firstOpenedAt: figures.first_opened_at, lastOpenedAt: figures.last_opened_at, firstClickedAt: figures.first_clicked_at,
    events: events.map(({ user_agent: userAgent, ...event }) => ({ ...event, userAgent })),
  };
}

export function presentEmailCampaign(campaign: EmailCampaign) {
  const segmentId = campaign.segmentId ?? null;
  return {
    id: campaign.id, name: campaign.name, templateId: campaign.templateId ?? null, segmentId, listId: segmentId, scheduleType: campaign.scheduleType ?? null,
    scheduledAt: campaign.scheduledAt ?? null, cron: campaign.cron ?? null, timezone: campaign.timezone ?? null, ratePerMinute: campaign.ratePerMinute ?? null,
    variants: campaign.variants ?? null, winner: campaign.winner ?? null, winnerVariant: campaign.winnerVariant ?? null, status: campaign.status!,
    error: campaign.error ?? null, nextRunAt: campaign.nextRunAt ?? null, startedAt: campaign.startedAt ?? null, finishedAt: campaign.finishedAt ?? null,
    tenantId: campaign.tenantId, version: campaign.version, createdAt: campaign.createdAt, updatedAt: campaign.updatedAt,
  };
}

export function presentRecipient(email: Email) {
  return {
    emailId: email.id, contactId: email.contactId ?? null, email: email.toAddress ?? null, status: email.status!, reason: email.reason ?? null,
    variant: email.variant ?? null, templateId: email.templateId, dueAt: email.dueAt ?? null, sentAt: email.sentAt ?? null, createdAt: email.createdAt,
    updatedAt: email.updatedAt,
  };
}

export const presentEmailSettings = ({ frequencyCap, sendWindow, version }: Pick<EmailSettings, 'frequencyCap' | 'sendWindow' | 'version'>) => (
  { frequencyCap: frequencyCap ?? null, sendWindow: sendWindow ?? null, version });
