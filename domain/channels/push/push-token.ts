import type { LinkSigner } from '../../addresses/tokens.ts';

const PURPOSE = 'push-send';

/** What a device reports with about a push that it got. */
export const pushToken = (links: Pick<LinkSigner, 'sign'>, tenantId: string, sendId: number): string =>
  links.sign(PURPOSE, [tenantId, String(sendId)]);

/** The push that a device reports about; null if it is not a valid token. */
export function readPushToken(
  links: Pick<LinkSigner, 'verify'>,
  token: string,
): { tenantId: string; sendId: number } | null {
  const [tenantId, sendId] = links.verify(PURPOSE, token) ?? [];
  return tenantId === undefined ? null : { tenantId, sendId: Number(sendId) };
}
