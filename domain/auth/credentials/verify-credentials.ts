import type { Orm } from '../../../db/orm.ts';
import type { User } from '../../../db/entities/auth.ts';
import type { RequestOrigin } from '../../audit/audit.ts';
import { countGuess } from './login-failures.ts';
import { withHashingSlot, verifyPassword } from './password.ts';
import { DEFAULT_TENANT } from '../access/built-in-roles.ts';

/** A password to verify: for a user or, taking the same time, for a `name` that no user has. */
export interface Credentials extends RequestOrigin {
  user: User | null;
  name: string;
  password: string;
}

/**
 * Whether the password is the user's and, if so, `second` returns true. Failures of all callers count towards the lock
 * of the name. Throws 429 while the name is locked, 503 if too many calls are waiting.
 */
export async function verifyCredentials(
  orm: Orm,
  { user, name, password, address, requestId }: Credentials,
  second = async () => true,
): Promise<boolean> {
  const attempt = {
    tenantId: user?.tenantId ?? DEFAULT_TENANT,
    name: user?.usernameKey ?? name,
    address,
    userId: user?.id ?? null,
    requestId,
  };
  // Count a guess only when its turn comes: correct logins that wait must not count as failures. `second` is part of
  // the guess: a correct password alone must not clear the failures.
  return withHashingSlot(() =>
    countGuess(orm, attempt, async () => (await verifyPassword(user?.passwordHash ?? null, password)) && second()),
  );
}
