import { addressDigest } from '../../addresses/digest.ts';
import { addressKey } from '../../addresses/address-key.ts';
import type { LinkSigner } from '../../addresses/tokens.ts';

const PURPOSE = 'opt-in';
const DIGEST_CHARS = 32;

/** What a link proves: that the email of this request arrived at this address. */
export interface OptInToken {
  tenantId: string;
  optInId: number;
  /** The digest of the address that the email was sent to. */
  digest: string;
}

/** Identifies the address in a token: the first 128 bits of `addressDigest`. */
export const optInDigest = (tenantId: string, emailKey: string): string =>
  addressDigest(tenantId, emailKey).slice(0, DIGEST_CHARS);

/** The link in the email of a request. It is created while the email is rendered, and not stored. */
export function optInLink(
  links: LinkSigner,
  publicUrl: string,
  tenantId: string,
  optInId: number,
  address: string,
): string {
  const token = links.sign(PURPOSE, [tenantId, String(optInId), optInDigest(tenantId, addressKey(address))]);
  return `${publicUrl.replace(/\/+$/, '')}/api/v1/emails/confirm/${token}`;
}

/**
 * Parses a presented token; null if it was not signed for this purpose. Whether it is still valid is in its request's
 * row.
 */
export function readOptInToken(links: LinkSigner, token: string): OptInToken | null {
  const [tenantId, optInId, digest] = links.verify(PURPOSE, token) ?? [];
  if (tenantId === undefined || !Number.isSafeInteger(Number(optInId)) || digest === undefined) return null;
  return { tenantId, optInId: Number(optInId), digest };
}
