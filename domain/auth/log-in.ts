import { engineEm, type Orm } from '../../db/orm.ts';
import { User } from '../../db/entities/auth.ts';
import { isViolation, normaliseEmail } from '../contacts/fields.ts';
import { AppError } from '../errors.ts';
import { unauthorized } from './access-token.ts';
import { openSession, type OpenedSession, type SessionSettings } from './sessions.ts';
import { verifyCredentials } from './verify-credentials.ts';

/** Names and addresses are unique over all tenants, and a username that is an address is its user's own. */
async function findUser(orm: Orm, given: string): Promise<{ user: User | null; name: string }> {
  const text = given.trim().normalize('NFKC');
  const email = text.includes('@') ? normaliseEmail(text) : null;
  const name = email && !isViolation(email) ? email.emailKey : text.toLowerCase();
  return { user: await engineEm(orm).findOne(User, { $or: [{ usernameKey: name }, { emailKey: name }] }), name };
}

/**
 * Opens a session for a username or email and its password. Throws 401 `invalid_credentials`, 403 `email_unverified`,
 * 429 while the name is locked.
 */
export async function logIn(
  orm: Orm,
  settings: SessionSettings & { ENABLE_EMAIL_VERIFICATION: boolean },
  { username, password, address }: { username: string; password: string; address: string },
): Promise<OpenedSession> {
  const { user, name } = await findUser(orm, username);
  const matches = await verifyCredentials(orm, { user, name, password, address });
  if (!user || !matches) throw unauthorized('The username or password is wrong', 'invalid_credentials');
  if (!user.active) {
    if (settings.ENABLE_EMAIL_VERIFICATION && !user.emailVerified) throw new AppError('email_unverified');
    throw unauthorized('The username or password is wrong', 'invalid_credentials');
  }
  return openSession(orm, settings, user);
}
