import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { Role } from '../../../db/entities/auth.ts';
import { cleanText, isViolation } from '../../common/fields.ts';
import { AppError, assertValid, notFound, type Violation } from '../../../lib/checks/errors.ts';
import { appendAudit } from '../../audit/audit.ts';
import { assertMayGrant, lockTenant, readPermissions, unknownPermissions, type Granter } from './grants.ts';
import { isBuiltIn } from './built-in-roles.ts';

/** Maximum lengths in characters. */
export const ROLE_LIMITS = { name: 50, description: 2000 } as const;
/** The maximum number of users and invitations listed in the error if a role is in use. */
const SHOWN_USERS = 20;

export interface RoleInput {
  name: string;
  description?: string | null;
  permissions: string[];
}

const contentOf = ({ name, description = null, permissions }: Role) => ({ name, description, permissions });

/** The values of the given fields of a role. Throws 400 with all violations. */
function readRole(input: Partial<RoleInput>): Partial<ReturnType<typeof contentOf>> {
  const { values, violations } = checkRole(input);
  assertValid(violations);
  return { ...values, ...(input.permissions === undefined ? {} : { permissions: readPermissions(input.permissions) }) };
}

/** The texts of the given fields of a role, and all violations. */
export function checkRole(input: Partial<RoleInput>): {
  values: Partial<ReturnType<typeof contentOf>>;
  violations: Violation[];
} {
  const errors: Violation[] = [];
  const read = (field: 'name' | 'description'): string | null => {
    const text = cleanText(input[field] ?? '', ROLE_LIMITS[field], { multiline: field === 'description' });
    if (!isViolation(text)) return text;
    errors.push({ path: `/${field}`, ...text });
    return null;
  };
  const name = input.name === undefined ? undefined : read('name');
  const description = input.description === undefined ? undefined : read('description');
  if (name === null && !errors.some(({ path }) => path === '/name'))
    errors.push({ path: '/name', code: 'required', message: 'must not be empty' });
  return {
    values: { ...(name ? { name } : {}), ...(description === undefined ? {} : { description }) },
    violations: [...errors, ...unknownPermissions(input.permissions ?? [])],
  };
}

/** Names must differ in more than case, or two roles could be confused. */
async function assertNameFree(tx: EntityManager, name: string, exceptId: number | null = null): Promise<void> {
  const [taken] = await rows(
    tx,
    sql`select 1 from roles where lower(name) = lower(${name}) and id is distinct from ${exceptId}::bigint`,
  );
  if (taken)
    throw new AppError('name_taken', undefined, {
      errors: [{ path: '/name', code: 'name_taken', message: 'is taken' }],
    });
}

/**
 * Creates a role. Throws 400 naming unknown permissions, 403 for permissions that the granter lacks, 409 `name_taken`.
 */
export async function createRole(em: EntityManager, by: Granter, input: RoleInput): Promise<Role> {
  const { tenantId } = by.caller;
  const values = readRole(input) as ReturnType<typeof contentOf>;
  assertMayGrant(by, values.permissions);
  return em.transactional(async (tx) => {
    await lockTenant(tx, tenantId);
    await assertNameFree(tx, values.name);
    const role = tx.create(Role, { ...values, tenantId });
    await tx.flush();
    await appendAudit(tx, by.caller, {
      action: 'role.created',
      resourceType: 'role',
      resourceId: role.id,
      after: contentOf(role),
    });
    return role;
  });
}

/**
 * Changes a role for all its users; renaming it also renames it for them. `check` gets the current role, locked.
 * Throws what `createRole` throws, 404, and 409 for Admin and User.
 */
export async function updateRole(
  em: EntityManager,
  by: Granter,
  id: number,
  input: Partial<RoleInput>,
  check: (current: Role) => void,
): Promise<Role> {
  const values = readRole(input);
  return em.transactional(async (tx) => {
    const role = await lockRole(tx, by, id);
    check(role);
    const before = contentOf(role);
    const after = { ...before, ...values };
    if (isDeepStrictEqual(before, after)) return role;
    assertCustom(role);
    assertMayGrant(by, [...before.permissions, ...after.permissions]);
    if (after.name !== before.name) await assertNameFree(tx, after.name, id);
    tx.assign(role, values);
    await tx.flush();
    if (after.name !== before.name) await rename(tx, before.name, after.name);
    await appendAudit(tx, by.caller, { action: 'role.updated', resourceType: 'role', resourceId: id, before, after });
    return role;
  });
}

/**
 * Deletes a role that no user or open invitation has. Throws 403, 404, 409 `in_use` listing its users, 409 for Admin
 * and User.
 */
export async function deleteRole(
  em: EntityManager,
  by: Granter,
  id: number,
  check: (current: Role) => void,
): Promise<void> {
  await em.transactional(async (tx) => {
    const role = await lockRole(tx, by, id);
    check(role);
    assertCustom(role);
    assertMayGrant(by, role.permissions);
    await assertUnused(tx, role.name);
    const before = contentOf(role);
    await tx.remove(role).flush();
    await appendAudit(tx, by.caller, { action: 'role.deleted', resourceType: 'role', resourceId: id, before });
  });
}

async function lockRole(tx: EntityManager, by: Granter, id: number): Promise<Role> {
  await lockTenant(tx, by.caller.tenantId);
  const role = await tx.findOne(Role, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!role) throw notFound('role', id);
  return role;
}

function assertCustom({ name }: Role): void {
  if (isBuiltIn(name)) throw new AppError('conflict', `The role ${name} is built in and cannot be changed or deleted`);
}

/** Users and invitations refer to roles by name. */
async function rename(tx: EntityManager, from: string, to: string): Promise<void> {
  for (const table of ['users', 'invitations']) {
    await rows(
      tx,
      sql`
      update ${sql.table(table)} set roles = array_replace(roles, ${from}::text, ${to}::text), version = version + 1, updated_at = ${new Date()}
      where ${from}::text = any(roles)`,
    );
  }
}

async function assertUnused(tx: EntityManager, name: string): Promise<void> {
  const using = await rows<{ kind: string; id: number; label: string }>(
    tx,
    sql`
    select 'user' as kind, id, username as label from users where ${name} = any(roles)
    union all
    select 'invitation', id, email from invitations where ${name} = any(roles) and accepted_at is null and expires_at > now()
    order by 1 desc, 2`,
  );
  if (using.length === 0) return;
  throw new AppError(
    'in_use',
    `It is used by ${using.length === 1 ? 'one user or invitation' : `${using.length} users or invitations`}`,
    {
      errors: using
        .slice(0, SHOWN_USERS)
        .map(({ kind, id, label }) => ({ path: '', code: 'in_use', message: `${kind} ${id}: ${label}` })),
    },
  );
}
