import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { engineEm, rows, sql, tenantEm, type EntityManager, type Orm } from '../../db/orm.ts';
import { RefreshToken, User } from '../../db/entities/auth.ts';
import { AppError } from '../errors.ts';
import { signAccessToken, type TokenSecrets } from './access-token.ts';
import { verifyPassword } from './password.ts';
import type { Principal } from './principal.ts';

export interface SessionSettings extends TokenSecrets {
  JWT_REFRESH_EXPIRATION_MS: number;
}

export interface Session {
  accessToken: string;
  expiresIn: number;
  refreshToken: string;
  user: User;
}

const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** Writes the next refresh token of a family and signs an access token of it. */
function openSession(tx: EntityManager, settings: SessionSettings, user: User, family: string): Session {
  const refreshToken = randomBytes(32).toString('base64url');
  tx.create(RefreshToken, {
    tenantId: user.tenantId, userId: user.id, family, tokenHash: hashOf(refreshToken), expiresAt: new Date(Date.now() + settings.JWT_REFRESH_EXPIRATION_MS),
  });
  const { token, expiresIn } = signAccessToken(settings, { userId: user.id, tenantId: user.tenantId, family });
  return { accessToken: token, expiresIn, refreshToken, user };
}

/** Opens a session for a username or email and its password. Throws 401 `invalid_credentials`, 403 `email_unverified`. */
export async function login(orm: Orm, settings: SessionSettings, credentials: { username: string; password: string }): Promise<Session> {
  const key = credentials.username.trim().toLowerCase();
  // No tenant is known yet: names and addresses are unique over all of them.
  const found = await engineEm(orm).findOne(User, { $or: [{ usernameKey: key }, { emailKey: key }] }, { orderBy: { id: 'asc' } });
  const matches = await verifyPassword(found?.passwordHash ?? null, credentials.password);
  if (!found || !matches) throw new AppError('invalid_credentials');
  if (!found.active) throw found.emailVerified ? new AppError('invalid_credentials') : new AppError('email_unverified');
  return tenantEm(orm, found.tenantId).transactional(async (tx) => {
    const session = openSession(tx, settings, found, randomUUID());
    await tx.flush();
    return session;
  });
}

/**
 * Spends a refresh token and opens the next session of its family. A spent one that comes again was stolen, or its
 * thief was faster: its whole family is revoked. Throws 401.
 */
export async function refresh(orm: Orm, settings: SessionSettings, refreshToken: string): Promise<Session> {
  const known = await engineEm(orm).findOne(RefreshToken, { tokenHash: hashOf(refreshToken) });
  if (!known) throw new AppError('unauthorized', 'The refresh token is not valid');
  const session = await tenantEm(orm, known.tenantId).transactional(async (tx) => {
    const token = await tx.findOneOrFail(RefreshToken, { id: known.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (token.usedAt) {
      await revokeFamily(tx, token.family);
      return null;
    }
    const user = await tx.findOne(User, { id: token.userId, active: true });
    if (token.revokedAt || token.expiresAt <= new Date() || !user) return null;
    token.usedAt = new Date();
    const next = openSession(tx, settings, user, token.family);
    await tx.flush();
    return next;
  });
  if (!session) throw new AppError('unauthorized', 'The refresh token is spent, revoked or expired');
  return session;
}

async function revokeFamily(tx: EntityManager, family: string): Promise<void> {
  await rows(tx, sql`update refresh_tokens set revoked_at = now() where family = ${family}::uuid and revoked_at is null`);
}

/** Revokes the access token at once, on every process, and its refresh family. */
export async function logout(em: EntityManager, principal: Principal): Promise<void> {
  const { jti, family, expiresAt } = principal.token;
  await em.transactional(async (tx) => {
    await rows(tx, sql`insert into revoked_tokens (jti, tenant_id, expires_at) values (${jti}::uuid, ${principal.tenantId}, ${expiresAt}) on conflict do nothing`);
    await rows(tx, sql`delete from revoked_tokens where expires_at < now()`);
    await revokeFamily(tx, family);
  });
}

/** Revokes every session of a user but, if given, one family. */
export async function endSessions(tx: EntityManager, userId: number, exceptFamily: string | null = null): Promise<void> {
  await rows(tx, sql`update refresh_tokens set revoked_at = now() where user_id = ${userId} and revoked_at is null and family is distinct from ${exceptFamily}::uuid`);
}
