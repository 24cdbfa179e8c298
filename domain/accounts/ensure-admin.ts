import { engineEm, rows, sql, type Orm } from '../../db/orm.ts';
import { User } from '../../db/entities/auth.ts';
import { isViolation } from '../common/fields.ts';
import { readEmail, readUsername } from './account.ts';
import { appendAudit, asService } from '../audit/audit.ts';
import { hashPassword } from '../auth/credentials/password.ts';
import { checkPassword } from '../auth/credentials/password-policy.ts';
import { hasUsers, provisionTenant, updateBuiltInRoles } from './provision-tenant.ts';
import { ADMIN_ROLE, DEFAULT_TENANT } from '../auth/access/built-in-roles.ts';

interface AdminSettings {
  ADMIN_USERNAME: string;
  ADMIN_EMAIL: string;
  ADMIN_PASSWORD: string;
}

interface AdminDeps {
  orm: Orm;
  env: AdminSettings;
  log: { info: (details: object, message: string) => void };
}

/** The Admin described by the settings, or the violations of these settings; null if they contain no password. */
function readAdmin({ ADMIN_USERNAME, ADMIN_EMAIL, ADMIN_PASSWORD }: AdminSettings) {
  if (!ADMIN_PASSWORD) return null;
  const email = readEmail(ADMIN_EMAIL || 'admin@example.com');
  const name = readUsername(ADMIN_USERNAME, isViolation(email) ? undefined : email.emailKey);
  const problems = checkPassword(ADMIN_PASSWORD).map(({ message }) => `ADMIN_PASSWORD ${message}`);
  if (isViolation(email)) problems.push(`ADMIN_EMAIL ${email.message}`);
  if (isViolation(name)) problems.push(`ADMIN_USERNAME ${name.message}`);
  return problems.length > 0 || isViolation(email) || isViolation(name)
    ? { problems }
    : { problems, fields: { ...email, ...name }, password: ADMIN_PASSWORD };
}

/** One line for each invalid setting of the Admin. */
export const adminProblems = (env: AdminSettings): string[] => readAdmin(env)?.problems ?? [];

/**
 * Creates the tenant `default`, updates the built-in roles, and creates the Admin if a password is set and there is no
 * user yet. A lock ensures that processes starting at the same time create only one. Throws if there are
 * `adminProblems`.
 */
export async function ensureAdmin({ orm, env, log }: AdminDeps): Promise<void> {
  const admin = readAdmin(env);
  if (admin && !admin.fields) throw new Error(admin.problems.join('\n'));
  const made = await engineEm(orm).transactional(async (tx) => {
    await rows(tx, sql`select pg_advisory_xact_lock(hashtext('perennial-ensure-admin'))`);
    await provisionTenant(tx, DEFAULT_TENANT);
    await updateBuiltInRoles(tx);
    if (!admin || (await hasUsers(tx, DEFAULT_TENANT)) || (await tx.count(User)) > 0) return false;
    const user = tx.create(User, {
      ...admin.fields,
      tenantId: DEFAULT_TENANT,
      passwordHash: await hashPassword(admin.password),
      firstName: 'Admin',
      lastName: 'Admin',
      emailVerified: true,
      roles: [ADMIN_ROLE],
    });
    await tx.flush();
    await appendAudit(tx, asService(DEFAULT_TENANT), {
      action: 'user.registered',
      resourceType: 'user',
      resourceId: user.id,
      after: { username: user.username, email: user.email, roles: user.roles },
    });
    return true;
  });
  if (made) log.info({ username: env.ADMIN_USERNAME }, 'created the Admin user');
}
