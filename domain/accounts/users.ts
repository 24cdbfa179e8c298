import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { User } from '../../db/entities/auth.ts';
import { AppError, notFound } from '../../lib/checks/errors.ts';
import { appendAudit } from '../audit/audit.ts';
import { assertMayGrant, lockTenant, permissionsOf, type Granter } from '../auth/access/grants.ts';
import { endSessions } from '../auth/access/sessions.ts';
import { invalidateTokens } from './user-tokens.ts';
import { ADMIN_ROLE } from '../auth/access/built-in-roles.ts';

export interface UserChange {
  active?: boolean;
  roles?: string[];
}

const isAdmin = ({ active, roles }: { active: boolean; roles: string[] }): boolean =>
  active && roles.includes(ADMIN_ROLE);

/**
 * Enables or disables a user, or changes the user's roles. Disabling invalidates the user's sessions and the tokens in
 * emails at once. `check` gets the current user, locked. Throws 400 naming unknown roles, 403 for permissions that the
 * granter lacks, 404, 409 `last_admin`.
 */
export async function updateUser(
  em: EntityManager,
  by: Granter,
  id: number,
  change: UserChange,
  check: (current: User) => void,
): Promise<User> {
  return em.transactional(async (tx) => {
    await lockTenant(tx, by.caller.tenantId);
    const user = await tx.findOne(User, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!user) throw notFound('user', id);
    check(user);
    const before = { active: user.active ?? true, roles: user.roles };
    const after = { active: change.active ?? before.active, roles: [...new Set(change.roles ?? before.roles)] };
    if (isDeepStrictEqual(before, after)) return user;
    const wanted = await permissionsOf(tx, after.roles);
    assertMayGrant(by, [...wanted, ...(await permissionsOf(tx, before.roles))]);
    await assertAdminStays(tx, by, id, before, after);
    tx.assign(user, after);
    await tx.flush();
    // A user who waits for verification keeps the token when only the roles change.
    if (before.active && !after.active) {
      await endSessions(tx, id);
      await invalidateTokens(tx, user);
    }
    await appendAudit(tx, by.caller, { action: 'user.updated', resourceType: 'user', resourceId: id, before, after });
    return user;
  });
}

/**
 * Disables TOTP for another user, who has lost the authenticator, and ends that user's sessions. Throws 403 if the
 * user has permissions that the granter lacks, 404, 409 if TOTP is not enabled.
 */
export async function removeTotpOf(em: EntityManager, by: Granter, id: number): Promise<void> {
  await em.transactional(async (tx) => {
    await lockTenant(tx, by.caller.tenantId);
    const user = await tx.findOne(User, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!user) throw notFound('user', id);
    assertMayGrant(by, await permissionsOf(tx, user.roles));
    if (!user.totpConfirmedAt) throw new AppError('conflict', 'TOTP is not enabled for this user');
    Object.assign(user, { totpSecret: null, totpConfirmedAt: null, totpLastStep: null });
    await tx.flush();
    await endSessions(tx, id);
    await appendAudit(tx, by.caller, { action: 'user.totp_disabled', resourceType: 'user', resourceId: id });
  });
}

async function assertAdminStays(
  tx: EntityManager,
  { caller }: Granter,
  id: number,
  before: Required<UserChange>,
  after: Required<UserChange>,
): Promise<void> {
  const demoted = isAdmin(before) && !isAdmin(after);
  const oneself = caller.actor.type === 'user' && caller.actor.id === id;
  if (oneself && (demoted || !after.active))
    throw new AppError('last_admin', 'You cannot disable or demote yourself; another Admin can');
  if (!demoted) return;
  const [other] = await rows(
    tx,
    sql`select 1 from users where id <> ${id} and active and ${ADMIN_ROLE} = any(roles) limit 1`,
  );
  if (!other) throw new AppError('last_admin', 'This is the last active Admin');
}
