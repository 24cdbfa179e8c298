import { engineEm, rows, sql, type Orm } from '../../db/orm.ts';
import { User } from '../../db/entities/auth.ts';
import { hashPassword } from './password.ts';
import { DEFAULT_TENANT, provisionTenant, updateBuiltInRoles } from './provision-tenant.ts';

interface AdminDeps {
  orm: Orm;
  env: { ADMIN_USERNAME: string; ADMIN_EMAIL: string; ADMIN_PASSWORD: string };
  log: { info(details: object, message: string): void };
}

/**
 * Sees to the tenant `default` and to the built-in roles, and makes the Admin when a password for it is set and there
 * is no user yet. Processes that start together make one.
 */
export async function ensureAdmin({ orm, env, log }: AdminDeps): Promise<void> {
  const made = await engineEm(orm).transactional(async (tx) => {
    await rows(tx, sql`select pg_advisory_xact_lock(hashtext('perennial-ensure-admin'))`);
    await provisionTenant(tx, DEFAULT_TENANT);
    await updateBuiltInRoles(tx);
    if (!env.ADMIN_PASSWORD || (await tx.count(User)) > 0) return false;
    const email = env.ADMIN_EMAIL || 'admin@example.com';
    tx.create(User, {
      tenantId: DEFAULT_TENANT, username: env.ADMIN_USERNAME, usernameKey: env.ADMIN_USERNAME.normalize('NFKC').toLowerCase(), email, emailKey: email.toLowerCase(),
      passwordHash: await hashPassword(env.ADMIN_PASSWORD), firstName: 'Admin', lastName: 'Admin', emailVerified: true, roles: ['Admin'],
    });
    await tx.flush();
    return true;
  });
  if (made) log.info({ username: env.ADMIN_USERNAME }, 'the Admin was made');
}
