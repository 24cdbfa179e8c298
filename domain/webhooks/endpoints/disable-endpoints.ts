import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { DisabledReason } from '../../../db/entities/webhooks.ts';
import { appendEvents, touchOutbox } from '../../../events/outbox.ts';
import { appendAudit, asService } from '../../audit/audit.ts';
import { ADMIN_ROLE } from '../../auth/access/built-in-roles.ts';
import { queueNotices } from '../../emails/system-mail/queue-notice.ts';

/** An endpoint to be disabled, why, and the version that this is about. */
export interface Disabling {
  tenantId: string;
  id: number;
  reason: Exclude<DisabledReason, 'manual'>;
  version: number;
}

const REASONS: Record<Disabling['reason'], string> = {
  gone: 'Its receiver answered 410 Gone: it wants no more.',
  failing: 'Its receiver has not accepted anything for five days.',
};

/**
 * Disables endpoints that are active and have not changed since, each in an engine transaction of its own with the event WEBHOOK_DISABLED and an
 * email to the Admins.
 */
export async function disableEndpoints(em: EntityManager, endpoints: readonly Disabling[]): Promise<void> {
  for (const endpoint of endpoints) await em.transactional((tx) => disable(tx, endpoint));
}

async function disable(tx: EntityManager, { tenantId, id, reason, version }: Disabling): Promise<void> {
  const [disabled] = await rows<{ name: string; url: string; at: Date }>(
    tx,
    sql`
    update webhook_endpoints set active = false, disabled_reason = ${reason}, disabled_at = now(), version = version + 1, updated_at = now()
    where tenant_id = ${tenantId} and id = ${id} and version = ${version} and active returning name, url, disabled_at as at`,
  );
  if (!disabled) return;
  await rows(tx, sql`update webhook_lanes set active = false where tenant_id = ${tenantId} and endpoint_id = ${id}`);
  touchOutbox(tx, 'webhook_lanes');
  await appendAudit(tx, asService(tenantId), {
    action: 'webhook.disabled',
    resourceType: 'webhook',
    resourceId: id,
    after: { reason },
  });
  const admins = await rows<{ id: number; email: string }>(
    tx,
    sql`select id, email from users where tenant_id = ${tenantId} and active and ${ADMIN_ROLE} = any(roles) order by id`,
  );
  await queueNotices(
    tx,
    tenantId,
    admins.map((admin) => ({
      to: admin.email,
      subject: `The webhook “${disabled.name}” is disabled`,
      body: [
        `The webhook “${disabled.name}” (${new URL(disabled.url).host}) is disabled. ${REASONS[reason]}`,
        '',
        'What happens from now on is held for 30 days. Activating the webhook sends it, oldest first.',
        `Webhook ${id}`,
      ].join('\n'),
      lane: 'transactional',
      requestId: null,
      sendKey: `webhook-disabled/${id}/${disabled.at.getTime()}/${admin.id}`,
    })),
  );
  await appendEvents(tx, { tenantId, requestId: null }, [
    { type: 'WEBHOOK_DISABLED', data: { webhookId: id, reason } },
  ]);
}
