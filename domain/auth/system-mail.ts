import type { EntityManager } from '../../db/orm.ts';
import { keepSystemTemplate } from '../emails/keep-system-template.ts';
import { queueEmails, type QueuedEmail } from '../emails/queue-emails.ts';
import type { MailToken, SystemMailKey } from './mail-token.ts';
import { systemTemplate } from './system-templates.ts';

export interface SystemMail {
  key: SystemMailKey;
  to: string;
  /** The token whose link the mail carries. */
  token: MailToken;
  /** Who invites; which account asks for which address. */
  data?: { invitedBy?: string; account?: string; address?: string };
  requestId: string | null;
  /** What makes it one mail, unique in the tenant. */
  sendKey: string;
}

/**
 * Queues a mail of the service itself in the transaction `tx` (the tenant's or the engine's); senders may take it as
 * soon as this commits. What is stored of its token says nothing to who reads it.
 */
export async function queueSystemMail(tx: EntityManager, tenantId: string, { key, to, token, data, requestId, sendKey }: SystemMail): Promise<QueuedEmail> {
  const templateId = await keepSystemTemplate(tx, tenantId, key, systemTemplate(key));
  const [queued] = await queueEmails(tx, tenantId, [{
    sendKey, templateId, contactId: null, toAddress: to, lane: 'transactional', data: { ...data, token: { id: token.id, hash: token.hash } }, requestId, accepted: true,
  }]);
  return queued!;
}
