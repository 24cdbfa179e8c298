import type { SiteKeys } from './site-keys.ts';

/** What one record of 4,096 bytes holds besides its header, the authentication tag and the padding (RFC 8291). */
export const MOST_PAYLOAD_BYTES = 3_993;

/**
 * What is encrypted for a browser: the content, the defaults of its site, and what makes a repetition replace what is
 * shown silently (the tag) and lets the device report (the token).
 */
export const pushPayload = (
  { iconUrl, defaultUrl }: Partial<Pick<SiteKeys, 'iconUrl' | 'defaultUrl'>>,
  content: object,
  { messageId, token }: { messageId: number; token: string },
): object => ({
  ...(iconUrl ? { icon: iconUrl } : {}),
  ...(defaultUrl ? { url: defaultUrl } : {}),
  ...content,
  tag: String(messageId),
  token,
});

export const payloadBytes = (payload: object): number => Buffer.byteLength(JSON.stringify(payload));
