import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { WebhookEndpoint } from '../../../db/entities/webhooks.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import { openSecret, sealSecret, type BoxSecrets } from '../../../lib/text/secret-box.ts';
import { hmacSigner, keySigner, secretText, type Signer } from '../../outbound/sign-webhook.ts';

type EndpointKey = Pick<WebhookEndpoint, 'tenantId' | 'id'>;

/** Bind sealed values to their endpoint, so that they cannot be used in another one's row. */
const keyOwner = ({ tenantId, id }: EndpointKey): string => `webhook/${tenantId}/${id}`;
const headerOwner = ({ tenantId, id }: EndpointKey, name: string): string => `webhook-header/${tenantId}/${id}/${name}`;

/** A new key as it is stored, with what its owner may see of it. */
export interface MadeKey {
  key: string;
  /** `whsec_…`; only v1, and only now. */
  secret: string | null;
  /** `whpk_…`; only v1a. */
  publicKey: string | null;
}

const SECRET_BYTES = 32;

/** Makes what signs the webhooks of an endpoint, in the forms of Standard Webhooks 1.0. */
export function makeKey(env: BoxSecrets, endpoint: EndpointKey, signature: WebhookEndpoint['signature']): MadeKey {
  const seal = (bytes: Buffer): string => sealSecret(env, keyOwner(endpoint), bytes);
  if (signature === 'v1a') {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const { x } = publicKey.export({ format: 'jwk' }) as { x: string };
    return {
      key: seal(privateKey.export({ type: 'pkcs8', format: 'der' })),
      secret: null,
      publicKey: `whpk_${Buffer.from(x, 'base64url').toString('base64')}`,
    };
  }
  const secret = randomBytes(SECRET_BYTES);
  return { key: seal(secret), secret: secretText(secret), publicKey: null };
}

/** Encrypts the value of a header. */
export const sealHeader = (env: BoxSecrets, endpoint: EndpointKey, name: string, value: string): string =>
  sealSecret(env, headerOwner(endpoint, name), Buffer.from(value));

type SealedSecrets = Pick<WebhookEndpoint, 'key' | 'previousKey' | 'headers'>;

/** What an attempt needs of an endpoint's secrets. */
export interface OpenSecrets {
  signer: Signer;
  /** Signs too, until it expires. */
  previous: { signer: Signer; expiresAt: Date } | null;
  headers: Record<string, string>;
  /** The same, encrypted with the current LINK_SECRET; null if they are. */
  again: { key: string; previousKey: string | null; headers: Record<string, string> } | null;
}

/** Whether a key of an endpoint can be decrypted. */
export function opensKey(env: BoxSecrets, endpoint: EndpointKey, sealed: string): boolean {
  try {
    openSecret(env, keyOwner(endpoint), sealed);
    return true;
  } catch {
    return false;
  }
}

/**
 * Decrypts the secrets of an endpoint. Throws 409 `conflict` if neither LINK_SECRET nor LINK_SECRET_PREVIOUS does it. A
 * previous key that they do not decrypt counts as none, as one does that has expired: another rotation would not mend it.
 */
export function openSecrets(
  env: BoxSecrets,
  endpoint: EndpointKey & SealedSecrets & Pick<WebhookEndpoint, 'signature' | 'previousExpiresAt'>,
): OpenSecrets {
  let areCurrent = true;
  const open = (owner: string, sealed: string, problem: string): { bytes: Buffer; again: string } => {
    try {
      const { secret, isCurrent } = openSecret(env, owner, sealed);
      areCurrent &&= isCurrent;
      return { bytes: secret, again: isCurrent ? sealed : sealSecret(env, owner, secret) };
    } catch {
      throw new AppError('conflict', problem);
    }
  };
  const signerOf = (bytes: Buffer): Signer =>
    endpoint.signature === 'v1a'
      ? keySigner(createPrivateKey({ key: bytes, format: 'der', type: 'pkcs8' }))
      : hmacSigner(bytes);
  const key = open(keyOwner(endpoint), endpoint.key, 'The key of this webhook cannot be decrypted any more: rotate it');
  const { previousKey, previousExpiresAt: expiresAt } = endpoint;
  const isValid = previousKey && expiresAt && expiresAt > new Date() && opensKey(env, endpoint, previousKey);
  const previous = isValid ? { ...open(keyOwner(endpoint), previousKey, ''), expiresAt } : null;
  const headers = Object.entries(endpoint.headers ?? {}).map(
    ([name, sealed]) =>
      [
        name,
        open(
          headerOwner(endpoint, name),
          sealed,
          `The header ${name} of this webhook cannot be decrypted any more: give its headers again`,
        ),
      ] as const,
  );
  return {
    signer: signerOf(key.bytes),
    previous: previous && { signer: signerOf(previous.bytes), expiresAt: previous.expiresAt },
    headers: Object.fromEntries(headers.map(([name, { bytes }]) => [name, bytes.toString()])),
    again: areCurrent
      ? null
      : {
          key: key.again,
          previousKey: previous?.again ?? previousKey ?? null,
          headers: Object.fromEntries(headers.map(([name, { again }]) => [name, again])),
        },
  };
}

/** The signers that are valid at a time. */
export const validSigners = ({ signer, previous }: OpenSecrets, at: Date): Signer[] =>
  previous && at < previous.expiresAt ? [signer, previous.signer] : [signer];
