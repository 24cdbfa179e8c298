import type { LinkSigner } from '../../addresses/tokens.ts';

const PUSH = 'push-send';
const SUBSCRIPTION = 'push-subscription';

/** What a device reports with about a push that it got. */
export const pushToken = (links: Pick<LinkSigner, 'sign'>, tenantId: string, sendId: number): string =>
  links.sign(PUSH, [tenantId, String(sendId)]);

/** The push that a device reports about; null if it is not a valid token. */
export function readPushToken(
  links: Pick<LinkSigner, 'verify'>,
  token: string,
): { tenantId: string; sendId: number } | null {
  const [tenantId, sendId] = links.verify(PUSH, token) ?? [];
  return tenantId === undefined ? null : { tenantId, sendId: Number(sendId) };
}

/** What a browser ends or replaces its subscription with. */
export const subscriptionToken = (links: Pick<LinkSigner, 'sign'>, tenantId: string, id: number): string =>
  links.sign(SUBSCRIPTION, [tenantId, String(id)]);

/** The subscription that a token is for; null if it is not a valid token. */
export function readSubscriptionToken(
  links: Pick<LinkSigner, 'verify'>,
  token: string,
): { tenantId: string; id: number } | null {
  const [tenantId, id] = links.verify(SUBSCRIPTION, token) ?? [];
  return tenantId === undefined ? null : { tenantId, id: Number(id) };
}
