import { tenantEm, type Orm } from '../../db/orm.ts';
import { assertValid } from '../../lib/checks/errors.ts';
import { appendAudit, asUser } from '../audit/audit.ts';
import { findSelf, lockSelf, verifyOwnPassword, type Self } from '../auth/credentials/own-password.ts';
import { hashPassword } from '../auth/credentials/password.ts';
import { checkPassword } from '../auth/credentials/password-policy.ts';
import { endSessions } from '../auth/access/sessions.ts';
import { invalidateTokens } from './user-tokens.ts';

/**
 * Sets a new password and ends the user's other sessions. Throws 400 if the new password violates the policy or the
 * current one is wrong, 409 if the password was changed in the meantime, 429 while the name is locked.
 */
export async function changePassword(
  orm: Orm,
  self: Self & { sessionId: string },
  change: { currentPassword: string; newPassword: string },
): Promise<void> {
  assertValid(checkPassword(change.newPassword, '/newPassword'));
  const before = await findSelf(orm, self);
  await verifyOwnPassword(orm, before, change.currentPassword, self);
  const passwordHash = await hashPassword(change.newPassword);
  await tenantEm(orm, self.tenantId).transactional(async (tx) => {
    const user = await lockSelf(tx, self.userId, before.passwordHash);
    user.passwordHash = passwordHash;
    await tx.flush();
    await endSessions(tx, self.userId, self.sessionId);
    await invalidateTokens(tx, user);
    await appendAudit(tx, asUser(user, self), {
      action: 'user.password_changed',
      resourceType: 'user',
      resourceId: user.id,
    });
  });
}
