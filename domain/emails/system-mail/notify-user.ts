import type { EntityManager } from '../../../db/orm.ts';
import { activeUser, queueNotices } from './queue-notice.ts';

export interface UserNotification {
  /** The address of an active user. */
  to: string;
  subject: string;
  body: string;
  contactId: number;
  executionId: number;
  stepId: string;
  sendKey: string;
}

/**
 * Queues an email to a user of the tenant about a contact, once per send key, in the transaction `tx`. It is no email
 * to the contact, and belongs to its execution only so that it is found when the contact is erased. Returns why it
 * cannot be sent, else null.
 */
export async function notifyUser(
  tx: EntityManager,
  tenantId: string,
  { to, subject, body, executionId, stepId, sendKey }: UserNotification,
): Promise<string | null> {
  const user = await activeUser(tx, tenantId, to);
  if ('refusal' in user) return user.refusal;
  const common = { to: user.email, lane: 'transactional', executionId, stepId, requestId: null, sendKey } as const;
  const [refusal] = await queueNotices(tx, tenantId, [{ ...common, subject, body }]);
  return refusal!;
}
