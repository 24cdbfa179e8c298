import type { LinkSigner } from '../../addresses/tokens.ts';

/** Limits the work for texts with very many plus signs. */
const MAX_CANDIDATES = 50;

/**
 * The return path of one email (VERP): `bounces+token@example.com` for a BOUNCE_ADDRESS of `bounces@example.com`. The
 * local part fits into the 64 octets of RFC 5321 section 4.5.3.1.1, because that of BOUNCE_ADDRESS has at most 26.
 */
export function returnPathOf(emailId: number, bounceAddress: string, signer: LinkSigner): string {
  return variantOf(bounceAddress, signer.bounceToken(emailId));
}

/** The address that unsubscribes the email's recipient when a mail comes to it: another variant of BOUNCE_ADDRESS. */
export const optOutAddressOf = (emailId: number, bounceAddress: string, signer: LinkSigner): string =>
  variantOf(bounceAddress, signer.optOutToken(emailId));

function variantOf(address: string, token: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}+${token}${address.slice(at)}`;
}

/** The email whose return path occurs in a text (an address or a header); null if there is none. */
export const emailOfReturnPath = (text: string, signer: LinkSigner): number | null =>
  emailOfVariant(text, signer.verifyBounce);

/** The email whose `optOutAddressOf` occurs in a text; null if there is none. */
export const emailOfOptOutAddress = (text: string, signer: LinkSigner): number | null =>
  emailOfVariant(text, signer.verifyOptOut);

function emailOfVariant(text: string, verify: (token: string) => number | null): number | null {
  let left = MAX_CANDIDATES;
  for (const [, token] of text.matchAll(/\+([a-z2-7]{28,37})@/gi)) {
    const emailId = verify(token!);
    if (emailId !== null) return emailId;
    if (--left === 0) return null;
  }
  return null;
}

/** The email of one of our Message-IDs, with or without angle brackets; null for any other. */
export function emailOfMessageId(messageId: string, signer: LinkSigner): number | null {
  const [, token] = /^\s*<?([\w-]{20,40})@[^\s<>]+>?\s*$/.exec(messageId) ?? [];
  return token === undefined ? null : signer.verifyEmailToken('message', token);
}
