import { LockMode } from '@mikro-orm/core';
import { tenantEm, type EntityManager, type Orm } from '../../../db/orm.ts';
import { User } from '../../../db/entities/auth.ts';
import { AppError, assertValid } from '../../../lib/checks/errors.ts';
import { unauthorized } from '../access/access-token.ts';
import type { RequestOrigin } from '../../audit/audit.ts';
import { verifyCredentials } from './verify-credentials.ts';

/** A user who changes their own account, and the origin of the request. */
export interface Self extends RequestOrigin {
  tenantId: string;
  userId: number;
}

const gone = (): AppError => unauthorized('The user no longer exists');

/** The current user, without a lock. */
export async function findSelf(orm: Orm, self: Self): Promise<User> {
  const user = await tenantEm(orm, self.tenantId).findOne(User, { id: self.userId });
  if (!user) throw gone();
  return user;
}

/**
 * Throws 400 unless the password is the user's, 429 while the name is locked. Hashing is slow, so this runs before the
 * transaction that relies on it; `lockSelf` then checks that the hash is still the same.
 */
export async function verifyOwnPassword(
  orm: Orm,
  user: User,
  password: string,
  { requestId, address }: RequestOrigin,
): Promise<void> {
  if (await verifyCredentials(orm, { user, name: user.usernameKey, password, requestId, address })) return;
  assertValid([{ path: '/currentPassword', code: 'invalid_credentials', message: 'is not the current password' }]);
}

/**
 * Locks the user. With `verifiedHash`, the hash that a password was verified against: throws 409 if the user's hash is
 * a different one now.
 */
export async function lockSelf(tx: EntityManager, userId: number, verifiedHash?: string): Promise<User> {
  const user = await tx.findOne(User, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!user) throw gone();
  if (verifiedHash !== undefined && user.passwordHash !== verifiedHash)
    throw new AppError('conflict', 'The password was changed in the meantime');
  return user;
}
