import type { ChannelTemplate, PushSite, PushSubscription } from '../../db/entities/channels.ts';
import type { MessageView } from '../../domain/channels/ledger/read-messages.ts';
import type { ProviderHealth } from '../../domain/channels/providers/provider-health.ts';
import type { ProviderView } from '../../domain/channels/providers/providers.ts';
import { shownEndpoint } from '../../domain/channels/people/shown-endpoint.ts';

export function presentTemplate(template: ChannelTemplate) {
  return {
    id: template.id,
    name: template.name,
    channel: template.channel,
    category: template.category,
    topicId: template.topicId ?? null,
    body: template.body,
    title: template.title ?? null,
    url: template.url ?? null,
    iconUrl: template.iconUrl ?? null,
    imageUrl: template.imageUrl ?? null,
    ttlSeconds: template.ttlSeconds ?? null,
    urgency: template.urgency ?? null,
    collapseKey: template.collapseKey ?? null,
    smartEncoding: template.smartEncoding,
    contentVersion: template.contentVersion,
    tenantId: template.tenantId,
    version: template.version,
    createdAt: template.createdAt,
    updatedAt: template.updatedAt,
  };
}

/** A provider as in the API: of its credentials only that they exist. */
export function presentProvider({ provider, credentials }: ProviderView, health: ProviderHealth) {
  return {
    id: provider.id,
    name: provider.name,
    channel: provider.channel,
    type: provider.type,
    priority: provider.priority,
    ratePerSecond: provider.ratePerSecond ?? null,
    config: provider.config,
    credentials: Object.fromEntries(credentials.map((name) => [name, true])),
    active: provider.active,
    health,
    tenantId: provider.tenantId,
    version: provider.version,
    createdAt: provider.createdAt,
    updatedAt: provider.updatedAt,
  };
}

export function presentMessage({ message, sends, clicks, firstClickedAt }: MessageView) {
  const [send] = message.channel === 'sms' ? sends : [];
  return {
    id: message.id,
    channel: message.channel,
    category: message.category,
    status: message.status,
    reason: message.reason ?? null,
    contactId: message.contactId ?? null,
    to: message.toAddress ?? null,
    templateId: message.templateId ?? null,
    contentVersion: message.contentVersion ?? null,
    campaignId: message.campaignId ?? null,
    executionId: message.executionId ?? null,
    stepId: message.stepId ?? null,
    priority: message.priority,
    providerId: send?.providerId ?? null,
    providerMessageId: send?.providerMessageId ?? null,
    segments: message.segments ?? null,
    encoding: message.encoding ?? null,
    devices:
      message.channel === 'sms'
        ? []
        : sends.map(({ subscriptionId, type, status, reason, at }) => ({ subscriptionId, type, status, reason, at })),
    clicks,
    firstClickedAt,
    tenantId: message.tenantId,
    createdAt: message.createdAt,
    updatedAt: message.updatedAt,
    sentAt: message.sentAt ?? null,
    deliveredAt: message.deliveredAt ?? null,
  };
}

/** A site as in the API: never its private key. */
export function presentSite(site: PushSite) {
  return {
    id: site.id,
    name: site.name,
    origins: site.origins,
    subject: site.subject,
    siteKey: site.siteKey,
    publicKey: site.publicKey,
    iconUrl: site.iconUrl ?? null,
    defaultUrl: site.defaultUrl ?? null,
    tenantId: site.tenantId,
    version: site.version,
    createdAt: site.createdAt,
    updatedAt: site.updatedAt,
  };
}

/** A device as in the API: never its keys. */
export function presentSubscription(device: PushSubscription) {
  return {
    id: device.id,
    type: device.type,
    status: device.status,
    contactId: device.contactId ?? null,
    siteId: device.siteId ?? null,
    endpoint: shownEndpoint(device.endpoint),
    expiresAt: device.expiresAt ?? null,
    replacedBy: device.replacedBy ?? null,
    platform: device.platform ?? null,
    timezone: device.timezone ?? null,
    locale: device.locale ?? null,
    tenantId: device.tenantId,
    createdAt: device.createdAt,
    updatedAt: device.updatedAt,
  };
}
