import { hkdfSync } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { BoxSecrets } from '../common/secret-box.ts';

/** Derives a key of the tenant (HKDF, RFC 5869), in the form of Standard Webhooks: `whsec_` and base64 of 32 bytes. */
const secretOf = (linkSecret: string, tenantId: string): string =>
  `whsec_${Buffer.from(hkdfSync('sha256', linkSecret, 'perennial', `webhooks/${tenantId}`, 32)).toString('base64')}`;

/** The secret with which a tenant's receivers verify webhooks. */
export const webhookSecret = ({ LINK_SECRET }: Pick<BoxSecrets, 'LINK_SECRET'>, tenantId: string): string =>
  secretOf(LINK_SECRET, tenantId);

/**
 * The headers of Standard Webhooks 1.0. While LINK_SECRET is rotated there are two signatures, so that receivers that
 * still have the previous secret verify them too. `id` is the same at every attempt; `at` is the time of the attempt.
 */
export function webhookHeaders(
  { LINK_SECRET, LINK_SECRET_PREVIOUS }: BoxSecrets,
  { tenantId, id, at, body }: { tenantId: string; id: string; at: Date; body: string },
): Record<string, string> {
  const secrets = [LINK_SECRET, LINK_SECRET_PREVIOUS].filter(Boolean).map((secret) => secretOf(secret, tenantId));
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
