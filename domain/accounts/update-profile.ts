import { tenantEm, type Orm } from '../../db/orm.ts';
import type { User } from '../../db/entities/auth.ts';
import { isViolation, type Violation as FieldViolation } from '../common/fields.ts';
import type { LinkSigner } from '../addresses/tokens.ts';
import { assertValid, type Violation } from '../../lib/checks/errors.ts';
import { readEmail, readName, readUsername } from './account.ts';
import { appendAudit, asUser } from '../audit/audit.ts';
import { findSelf, lockSelf, verifyOwnPassword, type Self } from '../auth/credentials/own-password.ts';
import { countEmailToAddress } from '../emails/system-mail/system-mail.ts';
import { emailNewToken, invalidateTokens } from './user-tokens.ts';

export interface ProfileDeps {
  orm: Orm;
  links: LinkSigner;
  env: { ENABLE_EMAIL_VERIFICATION: boolean };
}

export interface ProfileChange {
  firstName?: string;
  lastName?: string;
  email?: string;
  /** Required for changing the email. */
  currentPassword?: string;
}

type Fields = Partial<
  Pick<User, 'firstName' | 'lastName' | 'email' | 'emailKey' | 'emailVerified' | 'username' | 'usernameKey'>
>;

/** The violations of a change. Does not check whether the current password is right. */
export const profileViolations = (user: User, change: ProfileChange, hasPassword: boolean): Violation[] =>
  checkChange(user, change, hasPassword).errors;

/** The fields to change. Throws 400 with every violation. */
function readChange(user: User, change: ProfileChange): Fields {
  const { errors, fields } = checkChange(user, change, change.currentPassword !== undefined);
  assertValid(errors);
  return fields;
}

/** Checks a change. If the username is the user's address, it changes with the address. */
function checkChange(user: User, change: ProfileChange, hasPassword: boolean): { errors: Violation[]; fields: Fields } {
  const errors: Violation[] = [];
  const fields: Fields = {};
  const take = <T extends object | string>(path: string, read: T | FieldViolation, use: (value: T) => void): void => {
    if (isViolation(read)) errors.push({ path, ...read });
    else use(read);
  };
  if (change.firstName !== undefined)
    take('/firstName', readName(change.firstName), (name) => {
      fields.firstName = name;
    });
  if (change.lastName !== undefined)
    take('/lastName', readName(change.lastName), (name) => {
      fields.lastName = name;
    });
  if (change.email !== undefined && change.email !== user.email) {
    take('/email', readEmail(change.email), (email) => {
      Object.assign(fields, email, email.emailKey === user.emailKey ? {} : { emailVerified: false });
      if (user.usernameKey === user.emailKey)
        take('/email', readUsername(email.email, email.emailKey), (name) => Object.assign(fields, name));
    });
    if (!hasPassword)
      errors.push({ path: '/currentPassword', code: 'required', message: 'is required to change the email' });
  }
  return { errors, fields };
}

/**
 * Changes the user's own profile. Sends a verification email to a new address if email verification is enabled.
 * `check` gets the current user, locked. Throws 400, 409 `email_taken`, 429 while the name is locked by wrong
 * passwords or if the address has had too many such emails lately.
 */
export async function updateProfile(
  { orm, links, env }: ProfileDeps,
  self: Self,
  change: ProfileChange,
  check: (current: User) => void,
): Promise<User> {
  const before = await findSelf(orm, self);
  const emailChanges = readChange(before, change).email !== undefined;
  if (emailChanges) await verifyOwnPassword(orm, before, change.currentPassword!, self);
  return tenantEm(orm, self.tenantId).transactional(async (tx) => {
    const user = await lockSelf(tx, self.userId, emailChanges ? before.passwordHash : undefined);
    check(user);
    const { email, emailKey } = user;
    tx.assign(user, readChange(user, change));
    await tx.flush();
    if (user.emailKey !== emailKey) {
      // Otherwise several users could take the same address in turn, and each could have emails sent to it.
      await countEmailToAddress(tx, 'verify_email', user.emailKey);
      // Tokens sent to the former address do not prove the new one, and whoever reads the former must no longer be
      // able to use them.
      await invalidateTokens(tx, user);
      if (env.ENABLE_EMAIL_VERIFICATION) await emailNewToken(tx, links, user, 'verify_email', self.requestId);
    }
    const changed = { before: { email }, after: { email: user.email } };
    await appendAudit(tx, asUser(user, self), {
      action: 'user.email_changed',
      resourceType: 'user',
      resourceId: user.id,
      ...changed,
    });
    return user;
  });
}
