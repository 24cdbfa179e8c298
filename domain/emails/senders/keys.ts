import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import type { EmailSender } from '../../../db/entities/email-senders.ts';
import type { Violation } from '../../common/violation.ts';

/** RFC 8301 section 3.2: signers use 1024 bits at least and should use 2048; verifiers need not take more than 4096. */
const MADE_BITS = 2048;
const LEAST_BITS = 1024;
const MOST_BITS = 4096;

/** A key pair for signing: `sealed` away is its private half (PKCS #8, DER), in the DNS stands the public one (base64 of SPKI). */
export interface DkimKey {
  pkcs8: Buffer;
  publicKey: string;
}

const generate = promisify(generateKeyPair);

const keyOf = (privateKey: KeyObject): DkimKey => ({
  pkcs8: privateKey.export({ type: 'pkcs8', format: 'der' }),
  publicKey: createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64'),
});

/** Makes an RSA key, on a thread of the pool: it takes some tenths of a second. */
export async function makeKey(): Promise<DkimKey> {
  return keyOf((await generate('rsa', { modulusLength: MADE_BITS })).privateKey);
}

/**
 * Reads a private key in PEM, PKCS #8 or PKCS #1. RSA alone: hardly a large mailbox provider verifies Ed25519 (RFC 8463)
 * yet, and what is signed by that alone counts as not signed there.
 */
export function readKey(pem: string): DkimKey | Violation {
  let key: KeyObject;
  try {
    // An encrypted one fails too: nobody gives a passphrase.
    key = createPrivateKey({ key: pem.trim(), format: 'pem' });
  } catch {
    return { code: 'invalid_key', message: 'must be an RSA private key in PEM (PKCS #8 or PKCS #1), not encrypted' };
  }
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength: bits = 0 } = {} } = key;
  if (type !== 'rsa') return { code: 'invalid_key', message: `must be an RSA key, not ${type}` };
  if (bits < LEAST_BITS || bits > MOST_BITS)
    return { code: 'invalid_key', message: `must have ${LEAST_BITS} to ${MOST_BITS} bits, not ${bits}` };
  return keyOf(key);
}

/** The key as it signs. */
export function signingKey(pkcs8: Buffer): KeyObject {
  return createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
}

/** Who has the sealed key in the row of another domain or selector opens nothing with it. */
export const keyOwner = ({
  tenantId,
  dkimDomain,
  dkimSelector,
}: Pick<EmailSender, 'tenantId' | 'dkimDomain' | 'dkimSelector'>): string =>
  `dkim/${tenantId}/${dkimDomain}/${dkimSelector}`;
