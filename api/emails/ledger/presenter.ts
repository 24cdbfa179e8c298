import type { Email } from '../../../db/entities/emails.ts';
import type { readTracking } from '../../../domain/emails/history/read-tracking.ts';

export function presentEmail(email: Email) {
  return {
    id: email.id,
    templateId: email.templateId,
    contentVersion: email.contentVersion ?? null,
    contactId: email.contactId ?? null,
    to: email.toAddress ?? null,
    campaignId: email.campaignId ?? null,
    executionId: email.executionId ?? null,
    stepId: email.stepId ?? null,
    externalId: email.externalId ?? null,
    lane: email.lane,
    status: email.status,
    reason: email.reason ?? null,
    attempts: email.attempt,
    provider: email.provider ?? null,
    sentAt: email.sentAt ?? null,
    tenantId: email.tenantId,
    createdAt: email.createdAt,
    updatedAt: email.updatedAt,
  };
}

export function presentTracking({ email, figures, events }: Awaited<ReturnType<typeof readTracking>>) {
  return {
    emailId: email.id,
    status: email.status,
    opens: figures.opens,
    clicks: figures.clicks,
    firstOpenedAt: figures.first_opened_at,
    lastOpenedAt: figures.last_opened_at,
    firstClickedAt: figures.first_clicked_at,
    events: events.map(({ user_agent: userAgent, inferred, ...event }) => ({
      ...event,
      userAgent,
      ...(inferred ? { inferred } : {}),
    })),
  };
}
