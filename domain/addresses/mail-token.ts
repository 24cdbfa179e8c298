import { createHash, randomUUID } from 'node:crypto';
import type { LinkSigner } from './tokens.ts';

/** Emails of the service itself; each contains a token for one page of the service. */
export const SYSTEM_MAILS = ['reset_password', 'verify_email', 'invitation', 'confirm_sender'] as const;
export type SystemMailKey = (typeof SYSTEM_MAILS)[number];

/** The path of the page; the token is appended. */
const PAGES: Record<SystemMailKey, string> = {
  reset_password: 'reset-password?token=',
  verify_email: 'verify-email?token=',
  invitation: 'accept-invitation?token=',
  confirm_sender: 'api/v1/emails/confirm-sender/',
};
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The parts of a token that may be stored: its id, and the hash for comparing a token that a request presents. */
export interface MailToken {
  id: string;
  hash: string;
}

const purposeOf = (key: SystemMailKey): string => `account/${key}`;
const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/**
 * Creates a token for an email. The token itself is not stored: it is a MAC over its id, computed again when the email
 * is rendered.
 */
export function newMailToken(links: LinkSigner, key: SystemMailKey, tenantId: string): MailToken {
  const id = randomUUID();
  return { id, hash: hashOf(links.sign(purposeOf(key), [tenantId, id])) };
}

/**
 * The tenant, id and hash of a presented token; null if it was not signed for this purpose. Whether it is still valid
 * is in its row.
 */
export function readMailToken(
  links: LinkSigner,
  key: SystemMailKey,
  token: string,
): (MailToken & { tenantId: string }) | null {
  const [tenantId, id, ...rest] = links.verify(purposeOf(key), token) ?? [];
  if (tenantId === undefined || id === undefined || !UUID.test(id) || rest.length > 0) return null;
  return { tenantId, id, hash: hashOf(token) };
}

/**
 * The link in an email. The hash tells which secret signed the token, so that an email that is sent after a rotation
 * of LINK_SECRET still gets the token that matches its row. Throws if no configured secret signed it.
 */
export function mailLink(
  links: LinkSigner,
  publicUrl: string,
  key: SystemMailKey,
  tenantId: string,
  token: MailToken,
): string {
  const made = links
    .signByEach(purposeOf(key), [tenantId, token.id])
    .find((candidate) => hashOf(candidate) === token.hash);
  if (made === undefined) throw new Error('the token was signed with a LINK_SECRET that is no longer configured');
  return `${publicUrl.replace(/\/+$/, '')}/${PAGES[key]}${made}`;
}
