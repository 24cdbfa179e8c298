import { randomBytes } from 'node:crypto';
import type { LinkSigner } from '../../domain/addresses/tokens.ts';

const LIFETIME_MS = 12 * 3_600_000;

/**
 * A signed, expiring token that a browser fetches with the form, so that another site cannot post on its visitor's
 * behalf. No two are the same, so that a submission can be known again by its token.
 */
export function makeFormToken(links: LinkSigner, formId: number, now: Date): { token: string; expiresAt: Date } {
  const expiresAt = new Date(now.getTime() + LIFETIME_MS);
  const nonce = randomBytes(9).toString('base64url');
  return { token: links.sign('form', [String(formId), String(expiresAt.getTime()), nonce]), expiresAt };
}

export function isFormToken(links: LinkSigner, token: unknown, formId: number, now: Date): boolean {
  if (typeof token !== 'string') return false;
  const payload = links.verify('form', token);
  return payload !== null && payload[0] === String(formId) && Number(payload[1]) > now.getTime();
}
