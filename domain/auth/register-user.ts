import { randomBytes } from 'node:crypto';
import { tenantEm, type Orm } from '../../db/orm.ts';
import { User } from '../../db/entities/auth.ts';
import { isViolation, type Violation as FieldViolation } from '../contacts/fields.ts';
import { AppError, assertValid, type Violation } from '../errors.ts';
import { readEmail, readName, readUsername } from './account.ts';
import { hashPassword } from './password.ts';
import { checkPassword } from './password-policy.ts';
import { DEFAULT_TENANT, provisionTenant } from './provision-tenant.ts';

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

/** The user's fields, or a 400 with every rule that is not met. */
function readRegistration(input: Registration) {
  const errors: Violation[] = [];
  const take = <T extends object | string>(path: string, read: T | FieldViolation): T | undefined => {
    if (!isViolation(read)) return read;
    errors.push({ path, ...read });
    return undefined;
  };
  const email = take('/email', readEmail(input.email));
  const name = take('/username', readUsername(input.username, email?.emailKey));
  const firstName = take('/firstName', readName(input.firstName));
  const lastName = take('/lastName', readName(input.lastName));
  assertValid([...errors, ...checkPassword(input.password)]);
  return { ...email!, ...name!, firstName: firstName!, lastName: lastName! };
}

/** A tenant id that says nothing of who opened it: it is a part of subjects and logs. */
const newTenantId = (): string => `t${randomBytes(8).toString('hex')}`;

/**
 * Registers a user: in the tenant `default` with the role User or, with many tenants, as the Admin of a tenant of its
 * own. Throws 403 `registration_disabled`, 400 with every unmet rule, 409 `username_taken` or `email_taken`.
 */
export async function registerUser(orm: Orm, settings: RegistrationSettings, input: Registration): Promise<User> {
  if (!settings.ENABLE_REGISTRATION) throw new AppError('registration_disabled');
  const fields = readRegistration(input);
  const passwordHash = await hashPassword(input.password);
  const opensTenant = settings.ENABLE_MULTI_TENANT;
  const tenantId = opensTenant ? newTenantId() : DEFAULT_TENANT;
  return tenantEm(orm, tenantId).transactional(async (tx) => {
    if (opensTenant) await provisionTenant(tx, tenantId);
    const user = tx.create(User, {
      ...fields, tenantId, passwordHash, active: !settings.ENABLE_EMAIL_VERIFICATION, emailVerified: false, roles: [opensTenant ? 'Admin' : 'User'],
    });
    await tx.flush();
    return user;
  });
}
