import { createHash } from 'node:crypto';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { upsertSystemTemplate } from '../templates/keep-system-template.ts';
import { queueEmails, type QueuedEmail } from '../ledger/queue-emails.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import type { MailToken, SystemMailKey } from '../../addresses/mail-token.ts';
import { systemTemplate } from './system-templates.ts';

export interface SystemMail {
  key: SystemMailKey;
  to: string;
  /** The token for the link in the email. */
  token: MailToken;
  /** The inviter; or the account that wants to use an address. */
  data?: { invitedBy?: string; account?: string; address?: string };
  requestId: string | null;
  /** Identifies the email, unique within the tenant. */
  sendKey: string;
}

/** Per address, across all tenants: this many at once, and as many per hour after that. */
const MAILS_TO_AN_ADDRESS = 5;

/**
 * Counts an email to an unverified address that a user typed, in a transaction of a tenant. The limit is across
 * tenants, because otherwise someone who can create any number of tenants could flood an address. Throws 429.
 */
export async function countEmailToAddress(tx: EntityManager, key: SystemMailKey, emailKey: string): Promise<void> {
  const digest = createHash('sha256').update(emailKey).digest('hex');
  const [taken] = await rows<{ wait: number }>(
    tx,
    sql`select take_mail(${`${key}/${digest}`}, ${MAILS_TO_AN_ADDRESS}) as wait`,
  );
  if (taken!.wait > 0)
    throw new AppError(
      'too_many_requests',
      'Too many emails of this kind to this address were requested; try again later',
      {
        headers: { 'Retry-After': String(taken!.wait) },
      },
    );
}

/**
 * Queues an email of the service itself in the transaction `tx` (the tenant's or the engine's); senders can send it as
 * soon as this commits. The stored parts of the token do not reveal the token.
 */
export async function queueSystemMail(
  tx: EntityManager,
  tenantId: string,
  { key, to, token, data, requestId, sendKey }: SystemMail,
): Promise<QueuedEmail> {
  const templateId = await upsertSystemTemplate(tx, tenantId, key, systemTemplate(key));
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
