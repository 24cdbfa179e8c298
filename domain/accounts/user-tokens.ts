import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { User } from '../../db/entities/auth.ts';
import { AppError } from '../../lib/checks/errors.ts';
import type { LinkSigner } from '../addresses/tokens.ts';
import { newMailToken, readMailToken, type MailToken } from '../addresses/mail-token.ts';
import { queueSystemMail } from '../emails/system-mail/system-mail.ts';

/** The purposes of tokens in emails. A token can be used once. */
export type UserTokenPurpose = 'reset_password' | 'verify_email';

const LIFETIME_HOURS: Record<UserTokenPurpose, number> = { reset_password: 1, verify_email: 24 };
const MAILS_PER_HOUR = 5;

const tokenInvalid = (): AppError =>
  new AppError('token_invalid', 'The link is unknown, already used or expired; request a new one');

/**
 * Emails the user a link with a new token, which replaces the previous one for that purpose. After five emails within
 * an hour it does nothing, and the last link stays valid. The caller holds a lock on the user's row in `tx`.
 */
export async function emailNewToken(
  tx: EntityManager,
  links: LinkSigner,
  user: Pick<User, 'id' | 'tenantId' | 'email'>,
  purpose: UserTokenPurpose,
  requestId: string | null,
): Promise<void> {
  const { tenantId } = user;
  const ofUser = sql`tenant_id = ${tenantId} and user_id = ${user.id}`;
  const [{ sent } = { sent: 0 }] = await rows<{ sent: number }>(
    tx,
    sql`
    select count(*) as sent from user_tokens where ${ofUser} and created_at > now() - interval '1 hour'`,
  );
  if (sent >= MAILS_PER_HOUR) return;
  await rows(
    tx,
    sql`delete from user_tokens where ${ofUser} and used_at is not null and created_at < now() - interval '1 day'`,
  );
  await rows(
    tx,
    sql`update user_tokens set used_at = now() where ${ofUser} and purpose = ${purpose} and used_at is null`,
  );
  const token = newMailToken(links, purpose, tenantId);
  await rows(
    tx,
    sql`
    insert into user_tokens (id, tenant_id, user_id, purpose, token_hash, expires_at)
    values (${token.id}::uuid, ${tenantId}, ${user.id}, ${purpose}, ${token.hash}, now() + make_interval(hours => ${LIFETIME_HOURS[purpose]}))`,
  );
  await queueSystemMail(tx, tenantId, {
    key: purpose,
    to: user.email,
    token,
    requestId,
    sendKey: `${purpose}:${token.id}`,
  });
}

const live = ({ id, hash }: MailToken, purpose: UserTokenPurpose) =>
  sql`id = ${id}::uuid and token_hash = ${hash} and purpose = ${purpose} and used_at is null and expires_at > now()`;

/** Parses a presented token and verifies its signature. Throws 400 `token_invalid`. */
export function readToken(
  links: LinkSigner,
  purpose: UserTokenPurpose,
  token: string,
): MailToken & { tenantId: string } {
  const read = readMailToken(links, purpose, token);
  if (!read) throw tokenInvalid();
  return read;
}

/** The id of the user of a valid token. Throws 400 `token_invalid`. Changes nothing. */
export async function ownerOfToken(tx: EntityManager, token: MailToken, purpose: UserTokenPurpose): Promise<number> {
  const [found] = await rows<{ user_id: number }>(
    tx,
    sql`select user_id from user_tokens where ${live(token, purpose)}`,
  );
  if (!found) throw tokenInvalid();
  return found.user_id;
}

/** Marks a valid token as used. Throws 400 `token_invalid`. */
export async function consumeToken(tx: EntityManager, token: MailToken, purpose: UserTokenPurpose): Promise<void> {
  const spent = await rows(tx, sql`update user_tokens set used_at = now() where ${live(token, purpose)} returning id`);
  if (spent.length === 0) throw tokenInvalid();
}

/**
 * Invalidates all of the user's tokens, when the password or address has changed or an Admin has disabled the user.
 */
export async function invalidateTokens(tx: EntityManager, user: Pick<User, 'id' | 'tenantId'>): Promise<void> {
  await rows(
    tx,
    sql`update user_tokens set used_at = now() where tenant_id = ${user.tenantId} and user_id = ${user.id} and used_at is null`,
  );
}

/**
 * Whether the user is inactive only because the address was never verified: the token of the registration is unused,
 * even if expired. A user disabled by an Admin has no unused token (`invalidateTokens`), so no email reactivates that user.
 */
export async function awaitsVerification(
  tx: EntityManager,
  user: Pick<User, 'id' | 'tenantId' | 'active' | 'emailVerified'>,
): Promise<boolean> {
  if (user.active || user.emailVerified) return false;
  const open = await rows(
    tx,
    sql`
    select id from user_tokens where tenant_id = ${user.tenantId} and user_id = ${user.id} and purpose = 'verify_email' and used_at is null`,
  );
  return open.length > 0;
}
