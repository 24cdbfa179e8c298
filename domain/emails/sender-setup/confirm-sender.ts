import { LockMode } from '@mikro-orm/core';
import { EmailSender } from '../../../db/entities/email-senders.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendAudit, type Author } from '../../audit/audit.ts';
import { newMailToken, readMailToken, type MailToken } from '../../addresses/mail-token.ts';
import { queueSystemMail, countEmailToAddress } from '../system-mail/system-mail.ts';
import { addressDigest } from '../../addresses/digest.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';
import type { QueuedEmail } from '../ledger/queue-emails.ts';
import type { LinkSigner } from '../../addresses/tokens.ts';

const LIFETIME_HOURS = 24;
/**
 * How many confirmation emails a tenant may send per hour, to one address and in total: the addresses may not be the
 * tenant's.
 */
const TO_AN_ADDRESS = 5;
const OF_A_TENANT = 100;

/** A parsed token from a confirmation email. */
export type ConfirmationToken = MailToken & { tenantId: string };

/**
 * Emails a link to a sender's address, with which its owner allows the tenant to use it. Replaces the previous link.
 * The caller has written or locked the sender's row in `tx`. Throws 429 if there were too many such emails lately.
 */
export async function mailConfirmation(
  tx: EntityManager,
  links: LinkSigner,
  { tenantId, requestId }: Author,
  { id, email, emailKey }: EmailSender,
): Promise<QueuedEmail> {
  const digest = addressDigest(tenantId, emailKey);
  // Serialises these emails per tenant, so that each call counts all earlier ones.
  await rows(tx, sql`select pg_advisory_xact_lock(hashtextextended(${`sender-confirmations/${tenantId}`}, 0))`);
  await rows(tx, sql`delete from sender_confirmations where tenant_id = ${tenantId} and expires_at < now()`);
  const [{ wait } = { wait: null }] = await rows<{ wait: number | null }>(
    tx,
    sql`
    select ceil(3600 - extract(epoch from now() - greatest(
      (array_agg(created_at order by created_at desc) filter (where address_digest = ${digest}))[${sql.lit(TO_AN_ADDRESS)}],
      (array_agg(created_at order by created_at desc))[${sql.lit(OF_A_TENANT)}])))::int as wait
    from sender_confirmations where tenant_id = ${tenantId} and created_at > now() - interval '1 hour'`,
  );
  if (wait !== null) {
    throw new AppError('too_many_requests', 'Too many sender confirmations were requested; try again later', {
      headers: { 'Retry-After': String(Math.max(1, wait)) },
    });
  }
  await countEmailToAddress(tx, 'confirm_sender', emailKey);
  await rows(
    tx,
    sql`update sender_confirmations set used_at = now() where tenant_id = ${tenantId} and sender_id = ${id} and used_at is null`,
  );
  const token = newMailToken(links, 'confirm_sender', tenantId);
  await rows(
    tx,
    sql`
    insert into sender_confirmations (id, tenant_id, sender_id, address_digest, token_hash, expires_at)
    values (${token.id}::uuid, ${tenantId}, ${id}, ${digest}, ${token.hash}, now() + make_interval(hours => ${LIFETIME_HOURS}))`,
  );
  return queueSystemMail(tx, tenantId, {
    key: 'confirm_sender',
    to: email,
    token,
    data: { account: tenantId, address: email },
    requestId,
    sendKey: `confirm_sender:${token.id}`,
  });
}

/** Emails the link again. Throws 404, 409 `conflict` if the address is confirmed, 429. */
export async function requestConfirmation(
  em: EntityManager,
  links: LinkSigner,
  author: Author,
  id: number,
): Promise<QueuedEmail> {
  return em.transactional(async (tx) => {
    const sender = await tx.findOne(EmailSender, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!sender) throw notFound('sender', id);
    if (sender.confirmedAt) throw new AppError('conflict', 'The address is already confirmed');
    return mailConfirmation(tx, links, author, sender);
  });
}

/** Parses a presented token and verifies its signature. Throws 400 `token_invalid`. */
export function readConfirmationToken(links: LinkSigner, token: string): ConfirmationToken {
  const read = readMailToken(links, 'confirm_sender', token);
  if (!read) throw tokenInvalid();
  return read;
}

/** The sender that a valid token confirms. Throws 400 `token_invalid`. Changes nothing. */
export async function senderToConfirm(
  em: EntityManager,
  { tenantId, id, hash }: ConfirmationToken,
  lockMode?: LockMode.PESSIMISTIC_WRITE,
): Promise<EmailSender> {
  const [asked] = await rows<{ sender_id: number; address_digest: string }>(
    em,
    sql`
    select sender_id, address_digest from sender_confirmations
    where tenant_id = ${tenantId} and id = ${id}::uuid and token_hash = ${hash} and used_at is null and expires_at > now()`,
  );
  const sender = asked && (await em.findOne(EmailSender, { id: asked.sender_id }, lockMode ? { lockMode } : {}));
  // The email proves only the address that it was sent to.
  if (!sender || addressDigest(tenantId, sender.emailKey) !== asked.address_digest) throw tokenInvalid();
  return sender;
}

/** Confirms a sender's address with the token of an email to it, which works once. Throws 400 `token_invalid`. */
export async function confirmSender(
  em: EntityManager,
  token: ConfirmationToken,
  visitor: Pick<Author, 'requestId' | 'address'>,
): Promise<EmailSender> {
  const { tenantId, id } = token;
  return em.transactional(async (tx) => {
    const sender = await senderToConfirm(tx, token, LockMode.PESSIMISTIC_WRITE);
    const spent = await rows(
      tx,
      sql`update sender_confirmations set used_at = now() where tenant_id = ${tenantId} and id = ${id}::uuid and used_at is null returning id`,
    );
    if (spent.length === 0) throw tokenInvalid();
    sender.confirmedAt = new Date();
    await tx.flush();
    await appendAudit(
      tx,
      { tenantId, actor: null, ...visitor },
      { action: 'email_sender.confirmed', resourceType: 'email_sender', resourceId: sender.id, after: { by: 'mail' } },
    );
    return sender;
  });
}

const tokenInvalid = (): AppError =>
  new AppError('token_invalid', 'The link is unknown, already used or expired; request a new one');
