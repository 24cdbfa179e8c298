import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { provisionScoring } from '../scoring/rules/provision.ts';
import { BUILT_IN_ROLES } from '../auth/access/built-in-roles.ts';

/** Creates a tenant with its roles and defaults. Does nothing if it exists. */
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
 * Whether the tenant has a user. If not, locks the tenant until the transaction ends, so that of two users who
 * register first at the same time only one becomes its Admin.
 */
export async function hasUsers(tx: EntityManager, tenantId: string): Promise<boolean> {
  const ask = async (): Promise<boolean> =>
    (await rows(tx, sql`select 1 from users where tenant_id = ${tenantId} limit 1`)).length > 0;
  if (await ask()) return true;
  await rows(tx, sql`select tenant_id from tenants where tenant_id = ${tenantId} for no key update`);
  return ask();
}

/** Gives the built-in roles of all tenants the permissions of this release. `tx` is the engine's. */
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
