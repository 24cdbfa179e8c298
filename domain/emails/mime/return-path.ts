import type { LinkSigner } from '../../addresses/tokens.ts';

/** Limits the work for texts with very many plus signs. */
const MAX_CANDIDATES = 50;

/**
 * The return path of one email (VERP): `bounces+token@example.com` for a BOUNCE_ADDRESS of `bounces@example.com`. The
 * local part fits into the 64 octets of RFC 5321 section 4.5.3.1.1, because that of BOUNCE_ADDRESS has at most 26.
 */
export function returnPathOf(emailId: number, bounceAddress: string, signer: LinkSigner): string {
  const at = bounceAddress.lastIndexOf('@');
  return `${bounceAddress.slice(0, at)}+${signer.bounceToken(emailId)}${bounceAddress.slice(at)}`;
}

/** The email whose return path occurs in a text (an address or a header); null if there is none. */
export function emailOfReturnPath(text: string, signer: LinkSigner): number | null {
  let left = MAX_CANDIDATES;
  for (const [, token] of text.matchAll(/\+([a-z2-7]{28,37})@/gi)) {
    const emailId = signer.verifyBounce(token!);
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
