import { LockMode } from '@mikro-orm/core';
import { tenantEm, type EntityManager, type Orm } from '../../../db/orm.ts';
import { User } from '../../../db/entities/auth.ts';
import { AppError, assertValid } from '../../common/errors.ts';
import { unauthorized } from '../access/access-token.ts';
import type { Visitor } from '../../audit/audit.ts';
import { verifyCredentials } from './verify-credentials.ts';

/** A user who acts on the own account, and from where. */
export interface Self extends Visitor {
  tenantId: string;
  userId: number;
}

const gone = (): AppError => unauthorized('The user no longer exists');

/** The user as it is, without a lock. */
export async function findSelf(orm: Orm, self: Self): Promise<User> {
  const user = await tenantEm(orm, self.tenantId).findOne(User, { id: self.userId });
  if (!user) throw gone();
  return user;
}

/**
 * Throws 400 unless the password is the user's, 429 while the name is locked. Hashing takes long, so this happens
 * before the transaction that relies on it; `lockSelf` then asks whether the hash is still the same.
 */
export async function verifyOwnPassword(
  orm: Orm,
  user: User,
  password: string,
  { requestId, address }: Visitor,
): Promise<void> {
  if (await verifyCredentials(orm, { user, name: user.usernameKey, password, requestId, address })) return;
  assertValid([{ path: '/currentPassword', code: 'invalid_credentials', message: 'is not the current password' }]);
}

/** The user under a lock. With the hash that a password was verified against, 409 if it is another one by now. */
export async function lockSelf(tx: EntityManager, userId: number, verifiedHash?: string): Promise<User> {
  const user = await tx.findOne(User, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!user) throw gone();
  if (verifiedHash !== undefined && user.passwordHash !== verifiedHash)
    throw new AppError('conflict', 'The password was changed in the meantime');
  return user;
}
