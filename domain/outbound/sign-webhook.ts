import { hkdfSync, sign, type KeyObject } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { BoxSecrets } from '../../lib/text/secret-box.ts';

/** One attempt to send a body. `id` is the same at every attempt; `at` is the time of the attempt. */
export interface SignedContent {
  id: string;
  at: Date;
  body: string;
}

/** Makes one signature of Standard Webhooks 1.0, with its version before it. */
export type Signer = (content: SignedContent) => string;

const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

/** The text of a secret (v1): `whsec_` and base64. */
export const secretText = (secret: Buffer): string => `whsec_${secret.toString('base64')}`;

/** Signs with a secret: v1, HMAC-SHA256. */
export function hmacSigner(secret: Buffer): Signer {
  const webhook = new Webhook(secretText(secret));
  return ({ id, at, body }) => webhook.sign(id, at, body);
}

/** Signs with a private key: v1a, Ed25519 (RFC 8032). */
export function keySigner(key: KeyObject): Signer {
  return ({ id, at, body }) => {
    const signature = sign(null, Buffer.from(`${id}.${seconds(at)}.${body}`), key);
    return `v1a,${signature.toString('base64')}`;
  };
}

/** The headers of Standard Webhooks 1.0, with a signature of each signer: one of them verifies. */
export const signedHeaders = (signers: readonly Signer[], content: SignedContent): Record<string, string> => ({
  'webhook-id': content.id,
  'webhook-timestamp': String(seconds(content.at)),
  'webhook-signature': signers.map((signer) => signer(content)).join(' '),
});

/** Derives a key of the tenant (HKDF, RFC 5869). */
const secretOf = (linkSecret: string, tenantId: string): Buffer =>
  Buffer.from(hkdfSync('sha256', linkSecret, 'perennial', `webhooks/${tenantId}`, 32));

/** The secret with which a tenant's receivers verify the webhooks of WEBHOOK steps and thresholds. */
export const webhookSecret = ({ LINK_SECRET }: Pick<BoxSecrets, 'LINK_SECRET'>, tenantId: string): string =>
  secretText(secretOf(LINK_SECRET, tenantId));

/**
 * The headers of a webhook that is signed with the tenant's secret. While LINK_SECRET is rotated there are two
 * signatures, so that receivers that still have the previous secret verify them too.
 */
export function webhookHeaders(
  { LINK_SECRET, LINK_SECRET_PREVIOUS }: BoxSecrets,
  { tenantId, ...content }: SignedContent & { tenantId: string },
): Record<string, string> {
  const secrets = [LINK_SECRET, LINK_SECRET_PREVIOUS].filter(Boolean);
  return signedHeaders(
    secrets.map((secret) => hmacSigner(secretOf(secret, tenantId))),
    content,
  );
}
