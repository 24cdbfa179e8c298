import { LockMode } from '@mikro-orm/core';
import { tenantEm, type EntityManager, type Orm } from '../../db/orm.ts';
import { User } from '../../db/entities/auth.ts';
import { AppError, assertValid } from '../../lib/checks/errors.ts';
import type { LinkSigner } from '../addresses/tokens.ts';
import { appendAudit, asUser, type RequestOrigin } from '../audit/audit.ts';
import { clearAllFailures } from '../auth/credentials/login-failures.ts';
import { hashPassword } from '../auth/credentials/password.ts';
import { checkPassword } from '../auth/credentials/password-policy.ts';
import { endSessions } from '../auth/access/sessions.ts';
import {
  awaitsVerification,
  ownerOfToken,
  readToken,
  consumeToken,
  invalidateTokens,
  type UserTokenPurpose,
} from './user-tokens.ts';

export interface TokenDeps {
  orm: Orm;
  links: LinkSigner;
}

/** Throws 400 `token_invalid` unless the token is valid. Changes nothing. */
export async function checkToken({ orm, links }: TokenDeps, purpose: UserTokenPurpose, token: string): Promise<void> {
  const read = readToken(links, purpose, token);
  await tenantEm(orm, read.tenantId).transactional((tx) => ownerOfToken(tx, read, purpose));
}

/**
 * Uses a token and changes its user, in one transaction. A token from an email proves the address, and activates a
 * user who only waited for verification. Throws 400 `token_invalid`.
 */
async function useToken(
  { orm, links }: TokenDeps,
  purpose: UserTokenPurpose,
  token: string,
  visitor: RequestOrigin,
  use: (tx: EntityManager, user: User) => Promise<void>,
): Promise<void> {
  const read = readToken(links, purpose, token);
  await tenantEm(orm, read.tenantId).transactional(async (tx) => {
    // Lock the user's row first, as everywhere, to avoid deadlocks.
    const user = await tx.findOneOrFail(
      User,
      { id: await ownerOfToken(tx, read, purpose) },
      { lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    const waits = await awaitsVerification(tx, user);
    await consumeToken(tx, read, purpose);
    if (!user.active && !waits) throw new AppError('token_invalid', 'The user is disabled');
    const before = { emailVerified: user.emailVerified, active: user.active };
    user.emailVerified = true;
    user.active = true;
    await use(tx, user);
    await tx.flush();
    await appendAudit(tx, asUser(user, visitor), {
      action: purpose === 'reset_password' ? 'user.password_reset' : 'user.email_verified',
      resourceType: 'user',
      resourceId: user.id,
      // Omit before and after, so that a password reset is logged even if they are equal.
      ...(purpose === 'reset_password' && before.emailVerified
        ? {}
        : { before, after: { emailVerified: true, active: true } }),
    });
  });
}

/** Confirms a user's address. Throws 400 `token_invalid`. */
export async function verifyEmail(deps: TokenDeps, token: string, visitor: RequestOrigin): Promise<void> {
  await useToken(deps, 'verify_email', token, visitor, async () => {});
}

/**
 * Sets a new password with a token from an email. Ends every session, invalidates all other tokens of the user, and
 * unlocks the name. Throws 400 with every violation of the password policy (the token stays valid), or
 * `token_invalid`.
 */
export async function resetPassword(
  deps: TokenDeps,
  { token, password }: { token: string; password: string },
  visitor: RequestOrigin,
): Promise<void> {
  assertValid(checkPassword(password));
  // Hashing is expensive, so check the token first.
  await checkToken(deps, 'reset_password', token);
  const passwordHash = await hashPassword(password);
  await useToken(deps, 'reset_password', token, visitor, async (tx, user) => {
    user.passwordHash = passwordHash;
    await endSessions(tx, user.id);
    await invalidateTokens(tx, user);
    await clearAllFailures(tx, user.usernameKey);
  });
}
