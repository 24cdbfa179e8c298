import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { provisionScoring } from '../../scoring/provision.ts';
import { BUILT_IN_ROLES } from '../access/built-in-roles.ts';

/** Makes a tenant with its roles and defaults; one that is there is left as it is. */
export async function provisionTenant(tx: EntityManager, tenantId: string): Promise<void> {
  const made = await rows(
    tx,
    sql`insert into tenants (tenant_id) values (${tenantId}) on conflict do nothing returning tenant_id`,
  );
  if (made.length === 0) return;
  for (const role of BUILT_IN_ROLES) {
    await rows(
      tx,
      sql`
      insert into roles (tenant_id, name, description, permissions) values (${tenantId}, ${role.name}, ${role.description}, ${[...role.permissions]}::text[])`,
    );
  }
  await provisionScoring(tx, tenantId);
}

/**
 * Whether the tenant has a user. While it has none, the answer holds until the transaction ends: who else asks waits, so
 * that two who come first at once do not both become its Admin.
 */
export async function hasUsers(tx: EntityManager, tenantId: string): Promise<boolean> {
  const ask = async (): Promise<boolean> =>
    (await rows(tx, sql`select 1 from users where tenant_id = ${tenantId} limit 1`)).length > 0;
  if (await ask()) return true;
  await rows(tx, sql`select tenant_id from tenants where tenant_id = ${tenantId} for no key update`);
  return ask();
}

/** Gives the built-in roles of all tenants the permissions that this release knows. `tx` is the engine's. */
export async function updateBuiltInRoles(tx: EntityManager): Promise<void> {
  for (const role of BUILT_IN_ROLES) {
    await rows(
      tx,
      sql`
      update roles set permissions = ${[...role.permissions]}::text[], version = version + 1, updated_at = now()
      where name = ${role.name} and permissions is distinct from ${[...role.permissions]}::text[]`,
    );
  }
}
