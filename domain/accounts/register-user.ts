import { randomBytes } from 'node:crypto';
import { tenantEm, type Orm } from '../../db/orm.ts';
import { User } from '../../db/entities/auth.ts';
import { isViolation, type Violation as FieldViolation } from '../common/fields.ts';
import type { LinkSigner } from '../addresses/tokens.ts';
import { AppError, assertValid, type Violation } from '../../lib/checks/errors.ts';
import { readEmail, readName, readUsername } from './account.ts';
import { appendAudit, asUser, type RequestOrigin } from '../audit/audit.ts';
import { hashPassword } from '../auth/credentials/password.ts';
import { checkPassword } from '../auth/credentials/password-policy.ts';
import { hasUsers, provisionTenant } from './provision-tenant.ts';
import { emailNewToken } from './user-tokens.ts';
import { DEFAULT_TENANT } from '../auth/access/built-in-roles.ts';

export interface Registration {
  username: string;
  email: string;
  password: string;
  firstName: string;
  lastName: string;
}

export interface RegistrationSettings {
  ENABLE_REGISTRATION: boolean;
  ENABLE_EMAIL_VERIFICATION: boolean;
  ENABLE_MULTI_TENANT: boolean;
}

export interface RegistrationDeps {
  orm: Orm;
  links: LinkSigner;
  env: RegistrationSettings;
}

/** The user's fields, and the violations of the given input. */
export function checkRegistration(input: Partial<Registration>) {
  const violations: Violation[] = [];
  const take = <T extends object | string>(
    field: keyof Registration,
    read: (text: string) => T | FieldViolation,
  ): T | undefined => {
    const given = input[field];
    const value = given === undefined ? undefined : read(given);
    if (!isViolation(value)) return value;
    violations.push({ path: `/${field}`, ...value });
    return undefined;
  };
  const email = take('email', readEmail);
  // A username with an `@` cannot be checked without the email, which it must equal.
  const name =
    input.email === undefined && input.username?.includes('@')
      ? undefined
      : take('username', (text) => readUsername(text, email?.emailKey));
  const firstName = take('firstName', readName);
  const lastName = take('lastName', readName);
  if (input.password !== undefined) violations.push(...checkPassword(input.password));
  return { fields: { ...email!, ...name!, firstName: firstName!, lastName: lastName! }, violations };
}

/** The user's fields. Throws 400 with every violation. */
export function readRegistration(input: Registration) {
  const { fields, violations } = checkRegistration(input);
  assertValid(violations);
  return fields;
}

/** A random tenant id, which does not identify its creator: it appears in subjects and logs. */
const newTenantId = (): string => `t${randomBytes(8).toString('hex')}`;

/**
 * Registers a user. In the tenant `default` the first user becomes its Admin and later ones get the role User; with
 * ENABLE_MULTI_TENANT every user becomes the Admin of a new tenant. If email verification is enabled, queues the email
 * in the same transaction. Throws 403 `registration_disabled`, 400 with every violation, 409 `username_taken` or
 * `email_taken`.
 */
export async function registerUser(
  { orm, links, env: settings }: RegistrationDeps,
  input: Registration,
  visitor: RequestOrigin,
): Promise<User> {
  if (!settings.ENABLE_REGISTRATION) throw new AppError('registration_disabled');
  const fields = readRegistration(input);
  const passwordHash = await hashPassword(input.password);
  const opensTenant = settings.ENABLE_MULTI_TENANT;
  const tenantId = opensTenant ? newTenantId() : DEFAULT_TENANT;
  return tenantEm(orm, tenantId).transactional(async (tx) => {
    if (opensTenant) await provisionTenant(tx, tenantId);
    const isFirst = opensTenant || !(await hasUsers(tx, tenantId));
    const user = tx.create(User, {
      ...fields,
      tenantId,
      passwordHash,
      active: !settings.ENABLE_EMAIL_VERIFICATION,
      emailVerified: false,
      roles: [isFirst ? 'Admin' : 'User'],
    });
    await tx.flush();
    if (settings.ENABLE_EMAIL_VERIFICATION) await emailNewToken(tx, links, user, 'verify_email', visitor.requestId);
    const { id, username, email, roles } = user;
    await appendAudit(tx, asUser(user, visitor), {
      action: 'user.registered',
      resourceType: 'user',
      resourceId: id,
      after: { username, email, roles },
    });
    return user;
  });
}
