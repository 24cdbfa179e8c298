import { createHash } from 'node:crypto';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { keepSystemTemplate } from '../templates/keep-system-template.ts';
import { queueEmails, type QueuedEmail } from '../ledger/queue-emails.ts';
import { AppError } from '../../common/errors.ts';
import type { MailToken, SystemMailKey } from '../../addresses/mail-token.ts';
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

/** To one address, of all tenants together: so many at once, and as many in each hour after. */
const MAILS_TO_AN_ADDRESS = 5;

/**
 * Counts a mail to an address that a user typed and nobody has proved; in a session of a tenant. Whoever may open tenants
 * without end could have one flooded otherwise. Throws 429.
 */
export async function takeMail(tx: EntityManager, key: SystemMailKey, emailKey: string): Promise<void> {
  const digest = createHash('sha256').update(emailKey).digest('hex');
  const [taken] = await rows<{ wait: number }>(
    tx,
    sql`select take_mail(${`${key}/${digest}`}, ${MAILS_TO_AN_ADDRESS}) as wait`,
  );
  if (taken!.wait > 0)
    throw new AppError('too_many_requests', 'Too many emails of this kind to this address were requested; try again later', {
      headers: { 'Retry-After': String(taken!.wait) },
    });
}

/**
 * Queues a mail of the service itself in the transaction `tx` (the tenant's or the engine's); senders may take it as
 * soon as this commits. What is stored of its token says nothing to who reads it.
 */
export async function queueSystemMail(
  tx: EntityManager,
  tenantId: string,
  { key, to, token, data, requestId, sendKey }: SystemMail,
): Promise<QueuedEmail> {
  const templateId = await keepSystemTemplate(tx, tenantId, key, systemTemplate(key));
  const [queued] = await queueEmails(tx, tenantId, [
    {
      sendKey,
      templateId,
      contactId: null,
      toAddress: to,
      lane: 'transactional',
      data: { ...data, token: { id: token.id, hash: token.hash } },
      requestId,
      accepted: true,
    },
  ]);
  return queued!;
}
