import { createHash, randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { AppError } from '../errors.ts';

const ISSUER = 'perennial';
const AUDIENCE = 'perennial-api';

export interface TokenSecrets {
  JWT_SECRET: string;
  JWT_SECRET_PREVIOUS: string;
  JWT_EXPIRATION_MS: number;
}

export interface AccessClaims {
  userId: number;
  tenantId: string;
  jti: string;
  /** The refresh family that the token belongs to: logout ends both. */
  family: string;
  expiresAt: Date;
}

/** Public name of a key: which of two secrets signed a token. */
const keyId = (secret: string): string => createHash('sha256').update(`kid:${secret}`).digest('base64url').slice(0, 8);

/** Signs an access token: a JWT (RFC 7519), HS256 over the UTF-8 bytes of the secret. */
export function signAccessToken(secrets: TokenSecrets, claims: { userId: number; tenantId: string; family: string }): { token: string; expiresIn: number } {
  const expiresIn = Math.floor(secrets.JWT_EXPIRATION_MS / 1000);
  const token = jwt.sign({ tid: claims.tenantId, fam: claims.family }, Buffer.from(secrets.JWT_SECRET), {
    algorithm: 'HS256', subject: String(claims.userId), jwtid: randomUUID(), issuer: ISSUER, audience: AUDIENCE, expiresIn, keyid: keyId(secrets.JWT_SECRET),
  });
  return { token, expiresIn };
}

/** Verifies signature, algorithm, issuer, audience and time. Throws 401 `token_expired` or `unauthorized`. */
export function verifyAccessToken(secrets: TokenSecrets, token: string): AccessClaims {
  const claims = [secrets.JWT_SECRET, secrets.JWT_SECRET_PREVIOUS].filter(Boolean).map((secret) => verifyWith(secret, token)).find((found) => found !== null);
  if (!claims) throw unauthorized('The access token is not valid');
  return claims;
}

export function unauthorized(detail: string, code: 'unauthorized' | 'token_expired' | 'token_revoked' = 'unauthorized'): AppError {
  const error = code === 'unauthorized' ? '' : ', error="invalid_token"';
  return new AppError(code, detail, { headers: { 'WWW-Authenticate': `Bearer realm="perennial"${error}` } });
}

function verifyWith(secret: string, token: string): AccessClaims | null {
  try {
    const { header, payload } = jwt.verify(token, Buffer.from(secret), { algorithms: ['HS256'], issuer: ISSUER, audience: AUDIENCE, complete: true });
    if (typeof payload === 'string' || !header.kid || !payload.exp || !payload.jti || !/^[1-9]\d{0,15}$/.test(payload.sub ?? '')) return null;
    const { tid, fam } = payload as { tid?: unknown; fam?: unknown };
    if (typeof tid !== 'string' || typeof fam !== 'string') return null;
    return { userId: Number(payload.sub), tenantId: tid, jti: payload.jti, family: fam, expiresAt: new Date(payload.exp * 1000) };
  } catch (error) {
    if (error instanceof jwt.TokenExpiredError) throw unauthorized('The access token has expired', 'token_expired');
    return null;
  }
}
