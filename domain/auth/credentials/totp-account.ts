import { randomBytes } from 'node:crypto';
import { tenantEm, rows, sql, type EntityManager, type Orm } from '../../../db/orm.ts';
import type { User } from '../../../db/entities/auth.ts';
import { AppError, assertValid, type Violation } from '../../../lib/checks/errors.ts';
import { appendAudit, asUser } from '../../audit/audit.ts';
import { countGuess } from './login-failures.ts';
import { findSelf, lockSelf, verifyOwnPassword, type Self } from './own-password.ts';
import { openSecret, sealSecret, type BoxSecrets } from '../../../lib/text/secret-box.ts';
import { base32 } from '../../../lib/text/base32.ts';
import { matchCode, otpauthUrl } from './totp.ts';

/** The length of an HMAC-SHA-1 (RFC 4226, section 4, R6). */
const SECRET_BYTES = 20;

export interface TotpDeps {
  orm: Orm;
  env: BoxSecrets;
}

/** Binds a sealed secret to its user, so that it cannot be used in another user's row. */
const ownerOf = (user: User): string => `totp/${user.tenantId}/${user.id}`;
const wrongCode: Violation = {
  path: '/totp',
  code: 'invalid',
  message: 'is not the current code of the authenticator app',
};

/**
 * Accepts a right code unless that of its time step or of a later one was accepted before. Of two logins with the same
 * code only one succeeds.
 */
export async function takeCode(tx: EntityManager, secrets: BoxSecrets, user: User, code: string): Promise<boolean> {
  const sealed = user.totpSecret!;
  const { secret, isCurrent } = openSecret(secrets, ownerOf(user), sealed);
  const step = matchCode(secret, code, user.totpLastStep ?? null, Date.now());
  if (step === null) return false;
  const taken = await rows(
    tx,
    sql`
    update users set totp_last_step = ${step}, totp_secret = ${isCurrent ? sealed : sealSecret(secrets, ownerOf(user), secret)}
    where id = ${user.id} and totp_secret = ${sealed} and coalesce(totp_last_step, 0) < ${step} returning id`,
  );
  return taken.length > 0;
}

/**
 * Creates a secret, which takes effect when confirmed. Throws 400 for a wrong password, 409 if TOTP is enabled, 429.
 */
export async function startTotp(
  { orm, env }: TotpDeps,
  self: Self,
  currentPassword: string,
): Promise<{ secret: string; otpauthUrl: string }> {
  const before = await findSelf(orm, self);
  await verifyOwnPassword(orm, before, currentPassword, self);
  const secret = randomBytes(SECRET_BYTES);
  await tenantEm(orm, self.tenantId).transactional(async (tx) => {
    const user = await lockSelf(tx, self.userId, before.passwordHash);
    if (user.totpConfirmedAt)
      throw new AppError('conflict', 'TOTP is already on; turn it off before setting it up again');
    Object.assign(user, { totpSecret: sealSecret(env, ownerOf(user), secret), totpLastStep: null });
  });
  return { secret: base32(secret), otpauthUrl: otpauthUrl(secret, before.email) };
}

/** Enables TOTP with a first code. Throws 400 for a wrong code, 409 if there is no secret to confirm. */
export async function confirmTotp({ orm, env }: TotpDeps, self: Self, code: string): Promise<void> {
  await tenantEm(orm, self.tenantId).transactional(async (tx) => {
    const user = await lockSelf(tx, self.userId);
    if (!user.totpSecret || user.totpConfirmedAt)
      throw new AppError('conflict', 'There is no new TOTP secret to confirm');
    if (!(await takeCode(tx, env, user, code))) assertValid([wrongCode]);
    user.totpConfirmedAt = new Date();
    await tx.flush();
    await appendAudit(tx, asUser(user, self), {
      action: 'user.totp_enabled',
      resourceType: 'user',
      resourceId: user.id,
    });
  });
}

/** The violations of a request to remove TOTP, which needs either a code or the password. */
export const proofViolations = ({
  totp,
  currentPassword,
}: {
  totp?: unknown;
  currentPassword?: unknown;
}): Violation[] =>
  (totp === undefined) === (currentPassword === undefined)
    ? [{ path: '/totp', code: 'required', message: 'give either totp or currentPassword' }]
    : [];

/**
 * Removes TOTP, or a secret that was never confirmed, given a code or the password. Throws 400 if it is wrong or not
 * exactly one is given, 409 if there is no secret, 429. Wrong codes count as failed logins.
 */
export async function removeTotp(
  { orm, env }: TotpDeps,
  self: Self,
  { totp, currentPassword }: { totp?: string; currentPassword?: string },
): Promise<void> {
  assertValid(proofViolations({ totp, currentPassword }));
  const before = await findSelf(orm, self);
  if (!before.totpSecret) throw new AppError('conflict', 'TOTP is not set up');
  const remove = () =>
    tenantEm(orm, self.tenantId).transactional(async (tx) => {
      const user = await lockSelf(tx, self.userId, before.passwordHash);
      if (!user.totpSecret) throw new AppError('conflict', 'TOTP is not set up');
      if (totp !== undefined && !(await takeCode(tx, env, user, totp))) return false;
      const wasOn = user.totpConfirmedAt !== null;
      Object.assign(user, { totpSecret: null, totpConfirmedAt: null, totpLastStep: null });
      await tx.flush();
      if (wasOn)
        await appendAudit(tx, asUser(user, self), {
          action: 'user.totp_disabled',
          resourceType: 'user',
          resourceId: user.id,
        });
      return true;
    });
  if (currentPassword !== undefined) {
    await verifyOwnPassword(orm, before, currentPassword, self);
    await remove();
  } else if (!(await countGuess(orm, { ...self, name: before.usernameKey }, remove))) {
    assertValid([wrongCode]);
  }
}
