import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { provisionScoring } from '../scoring/provision.ts';
import { PERMISSIONS, USER_PERMISSIONS } from './permissions.ts';

/** Makes a tenant with its roles and defaults, unless it is there. Answers whether it was made. */
export async function provisionTenant(tx: EntityManager, tenantId: string): Promise<boolean> {
  const made = await rows(tx, sql`insert into tenants (tenant_id) values (${tenantId}) on conflict do nothing returning tenant_id`);
  if (made.length === 0) return false;
  await rows(tx, sql`
    insert into roles (tenant_id, name, description, permissions) values
      (${tenantId}, 'Admin', 'May do everything', ${[...PERMISSIONS]}::text[]),
      (${tenantId}, 'User', 'Works with contacts, email, campaigns, forms, scoring and analytics', ${[...USER_PERMISSIONS]}::text[])`);
  await provisionScoring(tx, tenantId);
  return true;
}
