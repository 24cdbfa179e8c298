import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { AppError, assertValid, type Violation } from '../../../lib/checks/errors.ts';
import { PERMISSIONS } from './permissions.ts';
import type { Caller, Principal } from '../../audit/principal.ts';

/** A caller who changes the permissions of others: who it is (for the audit log), and its own permissions. */
export interface Granter {
  caller: Caller;
  principal: Principal;
}

/**
 * Locks the tenant's row, to serialise changes of permissions: each is checked against the result of the previous one.
 */
export async function lockTenant(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(tx, sql`select 1 from tenants where tenant_id = ${tenantId} for no key update`);
}

/** A violation for each permission that does not exist. */
export const unknownPermissions = (permissions: readonly string[]): Violation[] =>
  permissions.flatMap((name, index) =>
    PERMISSIONS.includes(name)
      ? []
      : [{ path: `/permissions/${index}`, code: 'not_found', message: `there is no permission ${name}` }],
  );

/** The permissions without duplicates, in the order of the catalogue. Throws 400 naming those that do not exist. */
export function readPermissions(permissions: readonly string[]): string[] {
  assertValid(unknownPermissions(permissions));
  return PERMISSIONS.filter((name) => permissions.includes(name));
}

/** The permissions of the given roles, by role name. Omits roles that the tenant does not have. */
async function knownRoles(tx: EntityManager, roles: readonly string[]): Promise<Map<string, string[]>> {
  const found = await rows<{ name: string; permissions: string[] }>(
    tx,
    sql`select name, permissions from roles where name = any(${[...roles]}::text[])`,
  );
  return new Map(found.map(({ name, permissions }) => [name, permissions]));
}

const missingRoles = (roles: readonly string[], known: ReadonlyMap<string, unknown>): Violation[] =>
  roles.flatMap((name, index) =>
    known.has(name) ? [] : [{ path: `/roles/${index}`, code: 'not_found', message: `there is no role ${name}` }],
  );

/** A violation for each role that the tenant does not have. */
export const unknownRoles = async (tx: EntityManager, roles: readonly string[]): Promise<Violation[]> =>
  missingRoles(roles, await knownRoles(tx, roles));

/** The permissions that the named roles grant together. Throws 400 naming the roles that do not exist. */
export async function permissionsOf(tx: EntityManager, roles: readonly string[]): Promise<string[]> {
  const known = await knownRoles(tx, roles);
  assertValid(missingRoles(roles, known));
  return [...known.values()].flat();
}

/** The permissions that roles which somebody has grant together; some may have been deleted since. */
export const permissionsHeld = async (tx: EntityManager, roles: readonly string[]): Promise<string[]> =>
  [...(await knownRoles(tx, roles)).values()].flat();

/** Throws 403 naming the permissions that the granter lacks: nobody may grant or revoke a permission they lack. */
export function assertMayGrant({ principal }: Granter, permissions: readonly string[]): void {
  const beyond = [...new Set(permissions)].filter((name) => !principal.permissions.has(name));
  if (beyond.length > 0)
    throw new AppError('forbidden', `This requires permissions that you do not have: ${beyond.join(', ')}`);
}
