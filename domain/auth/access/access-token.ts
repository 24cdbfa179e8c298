import { createHash, createSecretKey, randomUUID, type KeyObject } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { AppError, type Violation } from '../../../lib/checks/errors.ts';

const ISSUER = 'perennial';
const AUDIENCE = 'perennial-api';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TENANT_ID = /^[a-z0-9][a-z0-9_-]{0,49}$/;
const USER_ID = /^[1-9]\d{0,15}$/;

export interface TokenSecrets {
  JWT_SECRET: string;
  /** Only verifies, during a rotation; empty = none. */
  JWT_SECRET_PREVIOUS: string;
  JWT_EXPIRATION_MS: number;
}

/** The claims of a token besides `iss`, `aud`, `exp` and `jti`: `sub`, `tid` and `sid`. */
export interface AccessClaims {
  userId: number;
  tenantId: string;
  sessionId: string;
}

/** A prepared secret, cached because preparing it costs more than a signature. */
interface SigningKey {
  /** The public `kid`, which tells which of two secrets signed a token. */
  id: string;
  key: KeyObject;
  /** Tokens with a verified signature and valid claims, which stay valid until `exp` (Unix time, s). */
  verified: LRUCache<string, { claims: AccessClaims; exp: number }>;
}

const MAX_VERIFIED = 10_000;
const signingKeys = new LRUCache<string, SigningKey>({ max: 16 });

/** The cached key of a secret's UTF-8 bytes. */
function signingKey(secret: string): SigningKey {
  let made = signingKeys.get(secret);
  if (!made) {
    const id = createHash('sha256').update(`kid:${secret}`).digest('base64url').slice(0, 8);
    made = { id, key: createSecretKey(Buffer.from(secret)), verified: new LRUCache({ max: MAX_VERIFIED }) };
    signingKeys.set(secret, made);
  }
  return made;
}

/** Signs an access token: a JWT (RFC 7519), HS256 over the UTF-8 bytes of the secret. `expiresIn` is in seconds. */
export function signAccessToken(
  secrets: TokenSecrets,
  { userId, tenantId, sessionId }: AccessClaims,
): { token: string; expiresIn: number } {
  const expiresIn = Math.floor(secrets.JWT_EXPIRATION_MS / 1000);
  const { id, key } = signingKey(secrets.JWT_SECRET);
  const token = jwt.sign({ tid: tenantId, sid: sessionId }, key, {
    algorithm: 'HS256',
    subject: String(userId),
    jwtid: randomUUID(),
    issuer: ISSUER,
    audience: AUDIENCE,
    expiresIn,
    keyid: id,
  });
  return { token, expiresIn };
}

/**
 * Verifies a token with the key that its `kid` names: signature, algorithm, issuer, audience, expiry, and the presence
 * and form of all claims. Throws 401 `token_expired` or `unauthorized`.
 */
export function verifyAccessToken(secrets: TokenSecrets, token: string): AccessClaims {
  const keys = [secrets.JWT_SECRET, secrets.JWT_SECRET_PREVIOUS].filter((secret) => secret !== '').map(signingKey);
  for (const { verified } of keys) {
    const known = verified.get(token);
    if (known && Date.now() < known.exp * 1000) return known.claims;
  }
  const key = keys.find(({ id }) => id === namedKey(token));
  const payload = key ? verifySignature(key.key, token) : null;
  const claims = readClaims(payload);
  if (!claims) throw unauthorized('The access token is not valid');
  key!.verified.set(token, { claims, exp: payload!.exp! });
  return claims;
}

/** A 401 with a `WWW-Authenticate` header (RFC 6750). */
export function unauthorized(
  detail: string,
  code: 'unauthorized' | 'invalid_credentials' | 'token_expired' | 'token_revoked' = 'unauthorized',
  errors?: Violation[],
): AppError {
  const error = code.startsWith('token_') ? ', error="invalid_token"' : '';
  return new AppError(code, detail, {
    ...(errors ? { errors } : {}),
    headers: { 'WWW-Authenticate': `Bearer realm="perennial"${error}` },
  });
}

/** The `kid` of a token that is not verified yet. */
function namedKey(token: string): unknown {
  try {
    return jwt.decode(token, { complete: true })?.header.kid;
  } catch {
    return undefined;
  }
}

function verifySignature(key: KeyObject, token: string): jwt.JwtPayload | null {
  try {
    const payload = jwt.verify(token, key, { algorithms: ['HS256'], issuer: ISSUER, audience: AUDIENCE });
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
