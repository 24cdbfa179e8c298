import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { EmailSender } from '../../../db/entities/email-senders.ts';
import type { Violation } from '../../../lib/checks/violation.ts';

/**
 * RFC 8301 section 3.2: signers must use at least 1024 bits and should use 2048; verifiers need not accept more than
 * 4096.
 */
const MADE_BITS = 2048;
const LEAST_BITS = 1024;
const MAX_BITS = 4096;

/**
 * A key pair for signing: the private key (PKCS #8, DER), which is stored encrypted, and the public one for the DNS
 * (base64 of SPKI).
 */
export interface DkimKey {
  pkcs8: Buffer;
  publicKey: string;
}

const generate = promisify(generateKeyPair);

const keyOf = (privateKey: KeyObject): DkimKey => ({
  pkcs8: privateKey.export({ type: 'pkcs8', format: 'der' }),
  publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64'),
});

/** Generates an RSA key on the thread pool, which takes some tenths of a second. */
export async function makeKey(): Promise<DkimKey> {
  return keyOf((await generate('rsa', { modulusLength: MADE_BITS })).privateKey);
}

/**
 * Parses a private key in PEM, PKCS #8 or PKCS #1. Only RSA: few large mailbox providers verify Ed25519 (RFC 8463)
 * yet, and an email signed only with that counts as unsigned there.
 */
export function readKey(pem: string): DkimKey | Violation {
  let key: KeyObject;
  try {
    // Encrypted keys fail too, because there is no passphrase.
    key = createPrivateKey({ key: pem.trim(), format: 'pem' });
  } catch {
    return { code: 'invalid_key', message: 'must be an RSA private key in PEM (PKCS #8 or PKCS #1), not encrypted' };
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength: bits = 0 } = {} } = key;
  if (type !== 'rsa') return { code: 'invalid_key', message: `must be an RSA key, not ${type}` };
  if (bits < LEAST_BITS || bits > MAX_BITS)
    return { code: 'invalid_key', message: `must have ${LEAST_BITS} to ${MAX_BITS} bits, not ${bits}` };
  return keyOf(key);
}

/** The private key for signing. */
export function signingKey(pkcs8: Buffer): KeyObject {
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

/** Binds a sealed key to its domain and selector, so that it cannot be used in another sender's row. */
export const keyOwner = ({
  tenantId,
  dkimDomain,
  dkimSelector,
}: Pick<EmailSender, 'tenantId' | 'dkimDomain' | 'dkimSelector'>): string =>
  `dkim/${tenantId}/${dkimDomain}/${dkimSelector}`;
