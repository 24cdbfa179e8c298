import { isDeepStrictEqual } from 'node:util';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Caller } from './principal.ts';

/** The actions in the audit log, as `{resource type}.{what happened}`. */
export const AUDIT_ACTIONS = [
  'user.registered',
  'user.logged_in',
  'user.login_failed',
  'user.login_locked',
  'user.logged_out',
  'user.token_reused',
  'user.password_changed',
  'user.password_reset',
  'user.email_changed',
  'user.email_verified',
  'user.totp_enabled',
  'user.totp_disabled',
  'user.updated',
  'role.created',
  'role.updated',
  'role.deleted',
  'invitation.created',
  'invitation.revoked',
  'invitation.accepted',
  'api_key.created',
  'api_key.deleted',
  'scoring_settings.updated',
  'scoring_rule.created',
  'scoring_rule.updated',
  'scoring_rule.deleted',
  'scoring_rule.replayed',
  'scoring_threshold.created',
  'scoring_threshold.updated',
  'scoring_threshold.deleted',
  'campaign.started',
  'campaign.stopped',
  'campaign.paused',
  'campaign.resumed',
  'campaign.migrated',
  'campaign.archived',
  'campaign.unarchived',
  'campaign.deleted',
  'email_campaign.started',
  'email_campaign.paused',
  'email_campaign.resumed',
  'email_campaign.cancelled',
  'email_campaign.deleted',
  'email_settings.updated',
  'channel_settings.updated',
  'channel_preferences.updated',
  'email_template.deleted',
  'channel_template.created',
  'channel_template.updated',
  'channel_template.deleted',
  'channel_provider.created',
  'channel_provider.updated',
  'channel_provider.deleted',
  'channel_provider.tested',
  'message.resolved',
  'push_site.created',
  'push_site.updated',
  'push_site.deleted',
  'push_subscription.created',
  'push_subscription.linked',
  'push_subscription.deleted',
  'channel_suppression.created',
  'channel_suppression.deleted',
  'email_topic.deleted',
  'suppression.created',
  'suppression.deleted',
  'segment.created',
  'segment.updated',
  'segment.deleted',
  'segment.members_added',
  'segment.members_removed',
  'form.deleted',
  'form.submissions_exported',
  'form.file_downloaded',
  'custom_field.deleted',
  'company.deleted',
  'contact.deleted',
  'contact.merged',
  'contact.exported',
  'contact.erasure_requested',
  'contact.data_exported',
  'email_sender.created',
  'email_sender.updated',
  'email_sender.confirmed',
  'email_sender.domain_verified',
  'email_sender.domain_lost',
  'email_sender.deleted',
  'contact_import.started',
  'contact_import.cancelled',
  'contact_import.undo_requested',
  'report.created',
  'report.updated',
  'report.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
  'webhook.secret_rotated',
  'webhook.disabled',
  'webhook.replayed',
  'webhook.delivery_retried',
] as const;

export const ACTOR_TYPES = ['user', 'api_key', 'anonymous', 'system'] as const;

/**
 * The author of a change without an authenticated caller: an anonymous client or, if `address` is null, the service
 * itself.
 */
export interface Unnamed {
  tenantId: string;
  actor: null;
  requestId: string | null;
  address: string | null;
}

/** The origin of a request without an authenticated caller. */
export interface RequestOrigin {
  requestId: string;
  address: string;
}

/** A client that has not authenticated. */
export const asAnonymous = (tenantId: string, { requestId, address }: RequestOrigin): Unnamed => ({
  tenantId,
  actor: null,
  requestId,
  address,
});
/** A user who authenticated on a public route, or who uses a route about their own account. */
export const asUser = (
  { id, tenantId, username }: { id: number; tenantId: string; username: string },
  { requestId, address }: RequestOrigin,
): Caller => ({ tenantId, actor: { type: 'user', id, name: username }, requestId, address });

/** The service itself, as the author of a change. */
export const asService = (tenantId: string): Unnamed => ({ tenantId, actor: null, requestId: null, address: null });

/** The author of a change. */
export type Author = Caller | Unnamed;

export interface AuditEvent {
  action: (typeof AUDIT_ACTIONS)[number];
  resourceType: string;
  resourceId: number | string | null;
  before?: Record<string, unknown>;
  after?: Record<string, unknown>;
}

/** Fields with such names are never logged, because entries of the audit log cannot be removed. */
const SECRET = /password|secret|token|hash/i;

/** The fields of `one` that differ in `other`, without secrets, as JSON; null if there are none. */
function changed(one: Record<string, unknown> | undefined, other: Record<string, unknown> = {}): string | null {
  const fields = Object.entries(one ?? {}).filter(
    ([name, value]) => !SECRET.test(name) && !isDeepStrictEqual(value, other[name]),
  );
  return fields.length > 0 ? JSON.stringify(Object.fromEntries(fields)) : null;
}

/**
 * Writes an entry of the audit log in the transaction `tx` of the change, with the fields that differ between `before`
 * and `after`. Writes nothing if both are given and equal. Entries cannot be changed or deleted.
 */
export async function appendAudit(
  tx: EntityManager,
  author: Author,
  { action, resourceType, resourceId, before, after }: AuditEvent,
): Promise<void> {
  const { tenantId, actor, requestId, address } = author;
  const was = changed(before, after);
  const is = changed(after, before);
  if (before && after && was === null && is === null) return;
  const actorType = actor?.type ?? (address === null ? 'system' : 'anonymous');
  await rows(
    tx,
    sql`
    insert into audit_log (tenant_id, actor_type, actor_id, actor_name, action, resource_type, resource_id, before, after, request_id, address)
    values (${tenantId}, ${actorType}, ${actor?.id ?? null}, ${actor?.name ?? null}, ${action}, ${resourceType},
      ${resourceId === null ? null : String(resourceId)}, ${was}::jsonb, ${is}::jsonb, ${requestId}, ${address})`,
  );
}
