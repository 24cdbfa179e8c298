import type { LinkSigner } from '../../addresses/tokens.ts';

/** As many tries at a text that is full of plus signs are enough. */
const MAX_CANDIDATES = 50;

/**
 * Where the bounces of one email go (VERP): `bounces+token@example.com` for a BOUNCE_ADDRESS of `bounces@example.com`. The
 * local part keeps within the 64 octets of RFC 5321, 4.5.3.1.1, because that of BOUNCE_ADDRESS has at most 26.
 */
export function returnPathOf(emailId: number, bounceAddress: string, signer: LinkSigner): string {
  const at = bounceAddress.lastIndexOf('@');
  return `${bounceAddress.slice(0, at)}+${signer.bounceToken(emailId)}${bounceAddress.slice(at)}`;
}

/** The email whose return path stands in a text, an address or a header; null when there is none. */
export function emailOfReturnPath(text: string, signer: LinkSigner): number | null {
  let left = MAX_CANDIDATES;
  for (const [, token] of text.matchAll(/\+([a-z2-7]{28,37})@/gi)) {
    const emailId = signer.verifyBounce(token!);
    if (emailId !== null) return emailId;
    if (--left === 0) return null;
  }
  return null;
}

/** The email of a Message-ID of ours, with or without its angle brackets; null for any other. */
export function emailOfMessageId(messageId: string, signer: LinkSigner): number | null {
  const [, token] = /^\s*<?([\w-]{20,40})@[^\s<>]+>?\s*$/.exec(messageId) ?? [];
  return token === undefined ? null : signer.verifyEmailToken('message', token);
}
