import type { Email, EmailTemplate } from '../../db/entities/emails.ts';
import type { readTracking } from '../../domain/emails/read-tracking.ts';

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
