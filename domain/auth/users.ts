import { LockMode } from '@mikro-orm/core';
import validator from 'validator';
import { tenantEm, type EntityManager, type Orm } from '../../db/orm.ts';
import { User } from '../../db/entities/auth.ts';
import { AppError, assertValid, type Violation } from '../errors.ts';
import { DEFAULT_TENANT } from './ensure-admin.ts';
import { checkPassword, hashPassword, verifyPassword } from './password.ts';
import { provisionTenant } from './provision-tenant.ts';
import { endSessions } from './sessions.ts';

export interface Registration {
  username: string;
  email: string;
  password: string;
  firstName: string;
  lastName: string;
}

const checkEmail = (email: string): Violation[] => (validator.isEmail(email) ? [] : [{ path: '/email', code: 'format', message: 'is not an email address' }]);

/** The id of a new tenant, from the name of who opens it. */
function tenantIdOf(username: string): string {
  const base = username.toLowerCase().replace(/[^a-z0-9_-]+/g, '-').replace(/^[^a-z0-9]+/, '').slice(0, 40);
  return `${base || 'tenant'}-${Date.now().toString(36)}`;
}

/**
 * Registers a user: in the tenant `default` with the role User, or, with many tenants, as the Admin of a tenant of its own.
 * Throws 403 `registration_disabled`, 400 with every unmet rule, 409 `username_taken` or `email_taken`.
 */
export async function register(orm: Orm, settings: { ENABLE_REGISTRATION: boolean; ENABLE_MULTI_TENANT: boolean }, input: Registration): Promise<User> {
  if (!settings.ENABLE_REGISTRATION) throw new AppError('registration_disabled');
  assertValid([...checkEmail(input.email), ...checkPassword(input.password)]);
  const passwordHash = await hashPassword(input.password);
  const tenantId = settings.ENABLE_MULTI_TENANT ? tenantIdOf(input.username) : DEFAULT_TENANT;
  const { username, email, firstName, lastName } = input;
  return tenantEm(orm, tenantId).transactional(async (tx) => {
    const opened = await provisionTenant(tx, tenantId);
    const user = tx.create(User, {
      tenantId, username, usernameKey: username.toLowerCase(), email, emailKey: email.toLowerCase(), passwordHash, firstName, lastName,
      active: true, emailVerified: false, roles: [opened ? 'Admin' : 'User'],
    });
    await tx.flush();
    return user;
  });
}

export interface ProfileChange {
  firstName?: string;
  lastName?: string;
  email?: string;
  currentPassword?: string;
}

/** Changes the caller's own profile; a new email needs the password. `check` sees the user under its lock. */
export async function updateProfile(em: EntityManager, userId: number, change: ProfileChange, check: (current: User) => void): Promise<User> {
  return em.transactional(async (tx) => {
    const user = await tx.findOneOrFail(User, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    check(user);
    const { currentPassword, ...fields } = change;
    if (fields.email !== undefined && fields.email !== user.email) {
      assertValid(checkEmail(fields.email));
      if (currentPassword === undefined) assertValid([{ path: '/currentPassword', code: 'required', message: 'is required to change the email' }]);
      await assertPassword(user, currentPassword!);
      user.emailKey = fields.email.toLowerCase();
      user.emailVerified = false;
    }
    tx.assign(user, fields);
    await tx.flush();
    return user;
  });
}

/** Sets a new password and ends every other session. */
export async function changePassword(em: EntityManager, userId: number, change: { currentPassword: string; newPassword: string; family: string }): Promise<void> {
  assertValid(checkPassword(change.newPassword, '/newPassword'));
  const passwordHash = await hashPassword(change.newPassword);
  await em.transactional(async (tx) => {
    const user = await tx.findOneOrFail(User, { id: userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    await assertPassword(user, change.currentPassword);
    user.passwordHash = passwordHash;
    await tx.flush();
    await endSessions(tx, userId, change.family);
  });
}

async function assertPassword(user: User, password: string): Promise<void> {
  if (!(await verifyPassword(user.passwordHash, password))) {
    assertValid([{ path: '/currentPassword', code: 'wrong', message: 'is not the present password' }]);
  }
}
