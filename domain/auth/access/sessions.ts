import { createHash, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { LockMode } from '@mikro-orm/core';
import { engineEm, rows, sql, tenantEm, type EntityManager, type Orm } from '../../../db/orm.ts';
import { Session, User } from '../../../db/entities/auth.ts';
import { signAccessToken, unauthorized, type TokenSecrets } from './access-token.ts';
import { appendAudit, asUser, asAnonymous, type RequestOrigin } from '../../audit/audit.ts';
import type { Caller } from '../../audit/principal.ts';

export interface SessionSettings extends TokenSecrets {
  JWT_REFRESH_EXPIRATION_MS: number;
}

/** The tokens of a session, for the client. `expiresIn` is in seconds. */
export interface OpenedSession {
  accessToken: string;
  expiresIn: number;
  refreshToken: string;
  user: User;
}

const ID_BYTES = 16;
const SECRET_BYTES = 32;

const hashOf = (refreshToken: string): string => createHash('sha256').update(refreshToken).digest('base64url');
const isHashOf = (hash: string, refreshToken: string): boolean =>
  timingSafeEqual(Buffer.from(hash), Buffer.from(hashOf(refreshToken)));

/** A refresh token contains its session's id, so that a reused token can be distinguished from an unknown one. */
function newRefreshToken(sessionId: string): string {
  return Buffer.concat([Buffer.from(sessionId.replaceAll('-', ''), 'hex'), randomBytes(SECRET_BYTES)]).toString(
    'base64url',
  );
}

/** The session id in a refresh token, or null if the token does not have our format. */
function sessionIdOf(refreshToken: string): string | null {
  if (!/^[\w-]{64}$/.test(refreshToken)) return null;
  const hex = Buffer.from(refreshToken, 'base64url').subarray(0, ID_BYTES).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const refreshExpiry = (settings: SessionSettings): Date => new Date(Date.now() + settings.JWT_REFRESH_EXPIRATION_MS);

function tokensOf(settings: SessionSettings, user: User, sessionId: string, refreshToken: string): OpenedSession {
  const { token, expiresIn } = signAccessToken(settings, { userId: user.id, tenantId: user.tenantId, sessionId });
  return { accessToken: token, expiresIn, refreshToken, user };
}

/**
 * Opens a session for a user whose password was verified, and deletes the user's sessions that no token can be valid
 * for any more. Throws 401 if the password was changed or the user was disabled in the meantime.
 */
export async function openSession(
  orm: Orm,
  settings: SessionSettings,
  user: User,
  visitor: RequestOrigin,
): Promise<OpenedSession> {
  const id = randomUUID();
  const refreshToken = newRefreshToken(id);
  await tenantEm(orm, user.tenantId).transactional(async (tx) => {
    const now = await tx.findOne(User, { id: user.id }, { lockMode: LockMode.PESSIMISTIC_READ });
    if (!now?.active || now.passwordHash !== user.passwordHash)
      throw unauthorized('The account has changed; log in again', 'invalid_credentials');
    await rows(
      tx,
      sql`delete from sessions where user_id = ${user.id} and expires_at < ${new Date(Date.now() - settings.JWT_EXPIRATION_MS)}`,
    );
    tx.create(Session, {
      id,
      tenantId: user.tenantId,
      userId: user.id,
      tokenHash: hashOf(refreshToken),
      expiresAt: refreshExpiry(settings),
    });
    await tx.flush();
    await appendAudit(tx, asUser(user, visitor), {
      action: 'user.logged_in',
      resourceType: 'user',
      resourceId: user.id,
    });
  });
  return tokensOf(settings, user, id, refreshToken);
}

/**
 * Replaces a refresh token by the next one of its session. Reuse of an old token means that it was stolen, by this
 * client or by the one that used it first, so it ends the session. Throws 401.
 */
export async function refreshSession(
  orm: Orm,
  settings: SessionSettings,
  refreshToken: string,
  visitor: RequestOrigin,
): Promise<OpenedSession> {
  const id = sessionIdOf(refreshToken);
  // With the engine's role, because the tenant is not known before the session is found.
  const next =
    id &&
    (await engineEm(orm).transactional(async (tx) => {
      const session = await tx.findOne(Session, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!session || session.revokedAt || session.expiresAt <= new Date()) return null;
      const user = await tx.findOne(User, { tenantId: session.tenantId, id: session.userId });
      if (!user?.active || !isHashOf(session.tokenHash, refreshToken)) {
        session.revokedAt = new Date();
        await tx.flush();
        if (user?.active)
          await appendAudit(tx, asAnonymous(session.tenantId, visitor), {
            action: 'user.token_reused',
            resourceType: 'user',
            resourceId: user.id,
          });
        return null;
      }
      const token = newRefreshToken(id);
      session.tokenHash = hashOf(token);
      session.expiresAt = refreshExpiry(settings);
      return tokensOf(settings, user, id, token);
    }));
  if (!next) throw unauthorized('The refresh token is unknown, already used or expired; log in again');
  return next;
}

/** Ends the caller's session: its access and refresh tokens are invalid at once in every process. */
export async function logout(em: EntityManager, caller: Caller, sessionId: string): Promise<void> {
  await em.transactional(async (tx) => {
    const ended = await rows(
      tx,
      sql`update sessions set revoked_at = now() where id = ${sessionId}::uuid and revoked_at is null returning id`,
    );
    if (ended.length > 0)
      await appendAudit(tx, caller, { action: 'user.logged_out', resourceType: 'user', resourceId: caller.actor.id });
  });
}

/** Ends all sessions of a user, except `exceptId` if it is given. */
export async function endSessions(tx: EntityManager, userId: number, exceptId: string | null = null): Promise<void> {
  await rows(
    tx,
    sql`update sessions set revoked_at = now() where user_id = ${userId} and revoked_at is null and id is distinct from ${exceptId}::uuid`,
  );
}
