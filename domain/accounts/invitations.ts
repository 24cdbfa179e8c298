import { LockMode } from '@mikro-orm/core';
import { engineEm, rows, sql, tenantEm, type EntityManager, type Orm } from '../../db/orm.ts';
import { Invitation, User } from '../../db/entities/auth.ts';
import { isViolation } from '../common/fields.ts';
import type { LinkSigner } from '../addresses/tokens.ts';
import { AppError, invalid, notFound } from '../../lib/checks/errors.ts';
import { readEmail } from './account.ts';
import { appendAudit, asUser, type RequestOrigin } from '../audit/audit.ts';
import { assertMayGrant, lockTenant, permissionsHeld, permissionsOf, type Granter } from '../auth/access/grants.ts';
import { newMailToken, readMailToken, type MailToken } from '../addresses/mail-token.ts';
import { hashPassword } from '../auth/credentials/password.ts';
import { readRegistration, type Registration } from './register-user.ts';
import { queueSystemMail, countEmailToAddress } from '../emails/system-mail/system-mail.ts';

export const INVITATION_STATUSES = ['OPEN', 'ACCEPTED', 'EXPIRED'] as const;

const LIFETIME_MS = 7 * 24 * 3_600_000;

interface Services {
  orm: Orm;
  links: LinkSigner;
}

/** The status of an invitation, as SQL over `invitations t`. */
export const invitationStatus = sql`case when t.accepted_at is not null then 'ACCEPTED' when t.expires_at <= now() then 'EXPIRED' else 'OPEN' end`;

export const statusOf = ({ acceptedAt, expiresAt }: Invitation): (typeof INVITATION_STATUSES)[number] =>
  acceptedAt ? 'ACCEPTED' : expiresAt <= new Date() ? 'EXPIRED' : 'OPEN';

/**
 * Invites an address to the granter's tenant, for 7 days, and replaces an open or expired invitation of that address.
 * Throws 400, 403 for roles with permissions that the granter lacks, 409 `email_taken`, 429.
 */
export async function createInvitation(
  { orm, links }: Services,
  by: Granter,
  input: { email: string; roles: string[] },
): Promise<Invitation> {
  const { tenantId } = by.caller;
  const address = readEmail(input.email);
  if (isViolation(address)) throw invalid([{ path: '/email', ...address }]);
  // Addresses are unique across all tenants, so this invitation could never be accepted.
  if ((await engineEm(orm).count(User, { emailKey: address.emailKey })) > 0) {
    throw new AppError('email_taken', undefined, {
      errors: [{ path: '/email', code: 'email_taken', message: 'is taken' }],
    });
  }
  return tenantEm(orm, tenantId).transactional(async (tx) => {
    await lockTenant(tx, tenantId);
    const roles = [...new Set(input.roles)];
    assertMayGrant(by, await permissionsOf(tx, roles));
    const inviter = await inviterOf(tx, by);
    await countEmailToAddress(tx, 'invitation', address.emailKey);
    const replaced = await rows<{ roles: string[] }>(
      tx,
      sql`delete from invitations where email_key = ${address.emailKey} and accepted_at is null returning roles`,
    );
    const given = replaced.flatMap(({ roles: former }) => former);
    assertMayGrant(by, await permissionsHeld(tx, given));
    const token = newMailToken(links, 'invitation', tenantId);
    const invitation = tx.create(Invitation, {
      ...address,
      tenantId,
      roles,
      tokenId: token.id,
      tokenHash: token.hash,
      expiresAt: new Date(Date.now() + LIFETIME_MS),
      invitedBy: inviter.id,
    });
    await tx.flush();
    await queueSystemMail(tx, tenantId, {
      key: 'invitation',
      to: invitation.email,
      token,
      data: shownInviter(inviter),
      requestId: by.caller.requestId,
      sendKey: `invitation/${token.id}`,
    });
    const after = { email: invitation.email, roles };
    await appendAudit(tx, by.caller, {
      action: 'invitation.created',
      resourceType: 'invitation',
      resourceId: invitation.id,
      after,
    });
    return invitation;
  });
}

/**
 * Revokes an invitation. Throws 403 for roles with permissions that the caller lacks, 404, and 409 if it was accepted.
 */
export async function deleteInvitation(
  em: EntityManager,
  by: Granter,
  id: number,
  check: (current: Invitation) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const invitation = await tx.findOne(Invitation, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!invitation) throw notFound('invitation', id);
    check(invitation);
    assertMayGrant(by, await permissionsHeld(tx, invitation.roles));
    if (invitation.acceptedAt)
      throw new AppError('conflict', 'The invitation was already accepted: disable the user instead');
    const before = { email: invitation.email, roles: invitation.roles };
    await tx.remove(invitation).flush();
    await appendAudit(tx, by.caller, {
      action: 'invitation.revoked',
      resourceType: 'invitation',
      resourceId: id,
      before,
    });
  });
}

/**
 * Creates the invited user, in the tenant and with the roles of the invitation. The token proves the address. Works
 * once. Throws 400 `token_invalid`, 400 with every violation, 409 `username_taken` or `email_taken`.
 */
export async function acceptInvitation(
  { orm, links }: Services,
  { token: given, ...input }: Omit<Registration, 'email'> & { token: string },
  visitor: RequestOrigin,
): Promise<User> {
  const token = readToken(links, given);
  const { tenantId } = token;
  const { email } = await findOpen(tenantEm(orm, tenantId), token);
  const fields = readRegistration({ ...input, email });
  const passwordHash = await hashPassword(input.password);
  return tenantEm(orm, tenantId).transactional(async (tx) => {
    await lockTenant(tx, tenantId);
    const invitation = await findOpen(tx, token, LockMode.PESSIMISTIC_WRITE);
    const user = tx.create(User, {
      ...fields,
      tenantId,
      passwordHash,
      active: true,
      emailVerified: true,
      roles: invitation.roles,
    });
    invitation.acceptedAt = new Date();
    await tx.flush();
    const after = { userId: user.id, username: user.username, email: user.email, roles: user.roles };
    await appendAudit(tx, asUser(user, visitor), {
      action: 'invitation.accepted',
      resourceType: 'invitation',
      resourceId: invitation.id,
      after,
    });
    return user;
  });
}

/** The invitation of a token. Throws 400 `token_invalid`. Changes nothing. */
export async function invitationOf({ orm, links }: Services, given: string): Promise<Invitation> {
  const token = readToken(links, given);
  return findOpen(tenantEm(orm, token.tenantId), token);
}

function readToken(links: LinkSigner, given: string): MailToken & { tenantId: string } {
  const token = readMailToken(links, 'invitation', given);
  if (!token) throw tokenInvalid();
  return token;
}

const tokenInvalid = (): AppError =>
  new AppError('token_invalid', 'The invitation is unknown, accepted, revoked or expired; request a new one');

/** The invitation of a token if it can be accepted now. Throws 400 `token_invalid`. */
async function findOpen(
  em: EntityManager,
  { id, hash }: MailToken,
  lockMode?: LockMode.PESSIMISTIC_WRITE,
): Promise<Invitation> {
  const invitation = await em.findOne(Invitation, { tokenId: id, tokenHash: hash }, lockMode ? { lockMode } : {});
  if (!invitation || statusOf(invitation) !== 'OPEN') throw tokenInvalid();
  return invitation;
}

/** Text that an email program would turn into a link: `www.example.com`, `https:…`, `a@b`. */
const LINK = /[\p{L}\p{N}]\.\p{L}|[:/@]/u;

/**
 * The inviter's name for the email, unless it contains a link: otherwise a user could send advertisements to arbitrary
 * addresses through their own name.
 */
function shownInviter({ firstName, lastName }: User): { invitedBy?: string } {
  const name = `${firstName} ${lastName}`;
  return LINK.test(name) ? {} : { invitedBy: name };
}

/** The inviting user; for an API key, its creator. */
async function inviterOf(tx: EntityManager, { caller: { actor } }: Granter): Promise<User> {
  const [key] =
    actor.type === 'api_key'
      ? await rows<{ created_by: number }>(tx, sql`select created_by from api_keys where id = ${actor.id}`)
      : [];
  return tx.findOneOrFail(User, { id: key?.created_by ?? actor.id });
}
