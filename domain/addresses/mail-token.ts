import { createHash, randomUUID } from 'node:crypto';
import type { LinkSigner } from './tokens.ts';

/** Mails of the service itself; each carries a token for one page of ours. */
export const SYSTEM_MAILS = ['reset_password', 'verify_email', 'invitation', 'confirm_sender'] as const;
export type SystemMailKey = (typeof SYSTEM_MAILS)[number];

/** Where the page is; the token comes after it. */
const PAGES: Record<SystemMailKey, string> = {
  reset_password: 'reset-password?token=',
  verify_email: 'verify-email?token=',
  invitation: 'accept-invitation?token=',
  confirm_sender: 'api/v1/emails/confirm-sender/',
};
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What may be stored of a token: its id, and the hash that a token which comes back must have. */
export interface MailToken {
  id: string;
  hash: string;
}

const purposeOf = (key: SystemMailKey): string => `account/${key}`;
const hashOf = (token: string): string => createHash('sha256').update(token).digest('base64url');

/** A new token for a mail. The token itself is kept nowhere: a MAC over its id, made again when the mail is rendered. */
export function newMailToken(links: LinkSigner, key: SystemMailKey, tenantId: string): MailToken {
  const id = randomUUID();
  return { id, hash: hashOf(links.sign(purposeOf(key), [tenantId, id])) };
}

/** The tenant, id and hash of a token that came back, if we made it for this purpose; null else. Whether it still counts, its row says. */
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
 * The link that a mail carries. The hash says which secret made the token, so that a mail that waits while LINK_SECRET
 * is rotated gets the token that its row knows. Throws where no secret of ours made it.
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
