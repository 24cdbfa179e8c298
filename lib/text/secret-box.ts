import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

export interface BoxSecrets {
  LINK_SECRET: string;
  /** Only decrypts, during a rotation; empty = none. */
  LINK_SECRET_PREVIOUS: string;
}

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** A separate key (HKDF, RFC 5869), so that signing and encryption do not share one. */
const keyOf = (secret: string): Buffer => Buffer.from(hkdfSync('sha256', secret, 'perennial', 'boxes', 32));

/**
 * Encrypts a secret (AES-256-GCM, NIST SP 800-38D; base64url of nonce, text and tag). Decrypts only for the same
 * `owner`.
 */
export function sealSecret({ LINK_SECRET }: BoxSecrets, owner: string, secret: Buffer): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(LINK_SECRET), iv).setAAD(Buffer.from(owner));
  return Buffer.concat([iv, cipher.update(secret), cipher.final(), cipher.getAuthTag()]).toString('base64url');
}

/**
 * Decrypts a secret, and tells whether it was encrypted with the current LINK_SECRET. Throws if neither secret
 * decrypts it.
 */
export function openSecret(
  { LINK_SECRET, LINK_SECRET_PREVIOUS }: BoxSecrets,
  owner: string,
  sealed: string,
): { secret: Buffer; isCurrent: boolean } {
  const bytes = Buffer.from(sealed, 'base64url');
  for (const candidate of [LINK_SECRET, LINK_SECRET_PREVIOUS].filter(Boolean)) {
    const decipher = createDecipheriv(ALGORITHM, keyOf(candidate), bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES));
    try {
      return { secret: Buffer.concat([text, decipher.final()]), isCurrent: candidate === LINK_SECRET };
    } catch {
      // Encrypted with another secret, or altered.
    }
  }
  throw new Error('neither LINK_SECRET nor LINK_SECRET_PREVIOUS decrypts a stored secret');
}
