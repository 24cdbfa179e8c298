import { createHash, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { AppError, type Violation } from '../errors.ts';

const ISSUER = 'perennial';
const AUDIENCE = 'perennial-api';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TENANT_ID = /^[a-z0-9][a-z0-9_-]{0,49}$/;
const USER_ID = /^[1-9]\d{0,15}$/;

export interface TokenSecrets {
  JWT_SECRET: string;
  /** Still verifies while the secret is rotated; empty = none. */
  JWT_SECRET_PREVIOUS: string;
  JWT_EXPIRATION_MS: number;
}

/** What a token says beyond `iss`, `aud`, `exp` and `jti`: `sub`, `tid` and `sid`. */
export interface AccessClaims {
  userId: number;
  tenantId: string;
  sessionId: string;
}

/** Public name of a key: which of two secrets signed a token. */
const keyId = (secret: string): string => createHash('sha256').update(`kid:${secret}`).digest('base64url').slice(0, 8);

/** Signs an access token: a JWT (RFC 7519), HS256 over the UTF-8 bytes of the secret. `expiresIn` is in seconds. */
export function signAccessToken(secrets: TokenSecrets, { userId, tenantId, sessionId }: AccessClaims): { token: string; expiresIn: number } {
  const expiresIn = Math.floor(secrets.JWT_EXPIRATION_MS / 1000);
  const token = jwt.sign({ tid: tenantId, sid: sessionId }, Buffer.from(secrets.JWT_SECRET), {
    algorithm: 'HS256', subject: String(userId), jwtid: randomUUID(), issuer: ISSUER, audience: AUDIENCE, expiresIn, keyid: keyId(secrets.JWT_SECRET),
  });
  return { token, expiresIn };
}

/**
 * Verifies a token by the key that its `kid` names: signature, algorithm, issuer, audience, time, and that every claim
 * of ours is there in its form. Throws 401 `token_expired` or `unauthorized`.
 */
export function verifyAccessToken(secrets: TokenSecrets, token: string): AccessClaims {
  const claims = readClaims(verifySignature(secrets, token));
  if (!claims) throw unauthorized('The access token is not valid');
  return claims;
}

/** A 401 with its challenge (RFC 6750). */
export function unauthorized(
  detail: string, code: 'unauthorized' | 'invalid_credentials' | 'token_expired' | 'token_revoked' = 'unauthorized', errors?: Violation[],
): AppError {
  const error = code.startsWith('token_') ? ', error="invalid_token"' : '';
  return new AppError(code, detail, { ...(errors ? { errors } : {}), headers: { 'WWW-Authenticate': `Bearer realm="perennial"${error}` } });
}

function verifySignature(secrets: TokenSecrets, token: string): jwt.JwtPayload | null {
  try {
    const named = jwt.decode(token, { complete: true })?.header.kid;
    const secret = [secrets.JWT_SECRET, secrets.JWT_SECRET_PREVIOUS].find((known) => known !== '' && keyId(known) === named);
    if (!secret) return null;
    const payload = jwt.verify(token, Buffer.from(secret), { algorithms: ['HS256'], issuer: ISSUER, audience: AUDIENCE });
    return typeof payload === 'string' ? null : payload;
  } catch (error) {
    if (error instanceof jwt.TokenExpiredError) throw unauthorized('The access token has expired', 'token_expired');
    return null;
  }
}

function readClaims(payload: jwt.JwtPayload | null): AccessClaims | null {
  if (!payload) return null;
  const { sub, exp, jti, tid, sid } = payload as Record<string, unknown>;
  if (typeof exp !== 'number' || typeof jti !== 'string' || jti === '') return null;
  if (typeof sub !== 'string' || !USER_ID.test(sub)) return null;
  if (typeof tid !== 'string' || !TENANT_ID.test(tid) || typeof sid !== 'string' || !UUID.test(sid)) return null;
  return { userId: Number(sub), tenantId: tid, sessionId: sid };
}
