import { engineEm, tenantEm, type Orm } from '../../db/orm.ts';
import { User } from '../../db/entities/auth.ts';
import { isViolation, normaliseEmail } from '../common/fields.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { unauthorized } from '../auth/access/access-token.ts';
import { appendAudit, asAnonymous, type RequestOrigin } from '../audit/audit.ts';
import type { BoxSecrets } from '../../lib/text/secret-box.ts';
import { openSession, type OpenedSession, type SessionSettings } from '../auth/access/sessions.ts';
import { takeCode } from '../auth/credentials/totp-account.ts';
import { awaitsVerification } from './user-tokens.ts';
import { verifyCredentials } from '../auth/credentials/verify-credentials.ts';

/**
 * Finds a user of any tenant: usernames and addresses are unique across tenants, and a username can only be its own
 * user's address.
 */
async function findUser(orm: Orm, given: string): Promise<{ user: User | null; name: string }> {
  // Addresses are not NFKC-normalised: with a full-width letter an address is another mailbox, but a username is the
  // same.
  const email = normaliseEmail(given);
  const name = isViolation(email) ? given.trim().normalize('NFKC').toLowerCase() : email.emailKey;
  return { user: await engineEm(orm).findOne(User, { $or: [{ usernameKey: name }, { emailKey: name }] }), name };
}

export interface LoginSettings extends SessionSettings, BoxSecrets {
  ENABLE_EMAIL_VERIFICATION: boolean;
}

export interface Login extends RequestOrigin {
  username: string;
  password: string;
  /** The current code of the authenticator app, if the user has TOTP enabled. */
  totp?: string;
}

/** Errors about the TOTP code are shown only to callers who know the password. */
const codeRefused = (code: 'required' | 'invalid', message: string) =>
  unauthorized(`The code of the authenticator app ${message}`, 'invalid_credentials', [
    { path: '/totp', code, message },
  ]);

/**
 * Opens a session for a username or email, its password and, if TOTP is enabled, a code. Throws 401
 * `invalid_credentials`, with an error at `/totp` if only the code is missing or wrong; 403 `email_unverified`; 429
 * while the name is locked.
 */
export async function logIn(
  orm: Orm,
  settings: LoginSettings,
  { username, password, totp, ...visitor }: Login,
): Promise<OpenedSession> {
  const { user, name } = await findUser(orm, username);
  let isCodeWrong = false;
  const matches = await verifyCredentials(orm, { user, name, password, ...visitor }, async () => {
    if (!user?.active || !user.totpConfirmedAt) return true;
    // A missing code neither counts as a failure nor clears failures.
    if (!totp) throw codeRefused('required', 'is required');
    isCodeWrong = !(await tenantEm(orm, user.tenantId).transactional((tx) => takeCode(tx, settings, user, totp)));
    return !isCodeWrong;
  });
  if (isCodeWrong) throw codeRefused('invalid', 'is wrong or was already used');
  if (!user || !matches) throw unauthorized('The username or password is wrong', 'invalid_credentials');
  if (!user.active) {
    const waits = await tenantEm(orm, user.tenantId).transactional(async (tx) => {
      await appendAudit(tx, asAnonymous(user.tenantId, visitor), {
        action: 'user.login_failed',
        resourceType: 'user',
        resourceId: user.id,
        after: { active: false },
      });
      return settings.ENABLE_EMAIL_VERIFICATION && awaitsVerification(tx, user);
    });
    if (waits) throw new AppError('email_unverified');
    throw unauthorized('The username or password is wrong', 'invalid_credentials');
  }
  return openSession(orm, settings, user, visitor);
}
