import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { EmailLane } from '../../../db/entities/emails.ts';
import { addressKey } from '../../addresses/address-key.ts';
import { queueEmails } from '../ledger/queue-emails.ts';
import { upsertSystemTemplate } from '../templates/keep-system-template.ts';
import { NOTIFICATION_KEY, notificationTemplate } from './notification-template.ts';

/** Plain text for a user. */
export interface Notice {
  to: string;
  subject: string;
  body: string;
  lane: EmailLane;
  /** Further data, by which an erasure finds the email. */
  data?: { contactId: number };
  executionId?: number;
  stepId?: string;
  requestId: string | null;
  sendKey: string;
  /** A reason to suppress the email: it is only recorded. */
  refusal?: string;
}

/** The address of the active user of a tenant with this address, or why there is none. */
export async function activeUser(
  tx: EntityManager,
  tenantId: string,
  address: string,
): Promise<{ email: string } | { refusal: string }> {
  const [user] = await rows<{ email: string; active: boolean }>(
    tx,
    sql`select email, active from users where tenant_id = ${tenantId} and email_key = ${addressKey(address)}`,
  );
  if (!user) return { refusal: 'no user has this address any more' };
  return user.active ? { email: user.email } : { refusal: 'the user is deactivated' };
}

/**
 * Queues emails of the service to users, each once per send key, in the transaction `tx` (the tenant's or the
 * engine's). Returns for each why it cannot be sent, else null.
 */
export async function queueNotices(
  tx: EntityManager,
  tenantId: string,
  notices: readonly Notice[],
): Promise<(string | null)[]> {
  const templateId = await upsertSystemTemplate(tx, tenantId, NOTIFICATION_KEY, notificationTemplate());
  const queued = await queueEmails(
    tx,
    tenantId,
    notices.map(({ to, subject, body, data, ...request }) => ({
      ...request,
      templateId,
      contactId: null,
      toAddress: to,
      data: { ...data, subject, body },
      accepted: true,
    })),
  );
  return queued.map(({ status, reason }) => (status === 'SUPPRESSED' ? reason : null));
}
