import type { LinkSigner } from './tokens.ts';

const LIFETIME_MS = 30 * 86_400_000;

/**
 * A token that stands for a contact in forms: for whoever received its email, or was made a contact by a submission.
 * Valid for 30 days; it proves nothing else.
 */
export const makeContactToken = (links: LinkSigner, tenantId: string, contactId: number, now = Date.now()): string =>
  links.sign('contact', [tenantId, String(contactId), String(now + LIFETIME_MS)]);

/** The id of the contact of a tenant that a token stands for; null if it is not a valid token. */
export function readContactToken(links: LinkSigner, token: unknown, tenantId: string, now = Date.now()): number | null {
  const payload = typeof token === 'string' ? links.verify('contact', token) : null;
  if (!payload || payload[0] !== tenantId || !(Number(payload[2]) > now)) return null;
  return Number(payload[1]);
}
