import { addressDigest } from '../../addresses/digest.ts';
import { addressKey } from '../../addresses/address-key.ts';
import type { LinkSigner } from '../../addresses/tokens.ts';

const PURPOSE = 'opt-in';
const DIGEST_CHARS = 32;

/** What a link proves: that this request's mail reached this address. */
export interface OptInToken {
  tenantId: string;
  optInId: number;
  /** Of the address that the mail went to. */
  digest: string;
}

/** By what a token knows the address of its mail: the first 128 bits of `addressDigest`. */
export const optInDigest = (tenantId: string, emailKey: string): string =>
  addressDigest(tenantId, emailKey).slice(0, DIGEST_CHARS);

/** The link that the mail of a request carries. It is made while the mail is rendered and kept nowhere. */
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

/** A token that came back, if we made it for this purpose; null else. Whether it still counts, its request says. */
export function readOptInToken(links: LinkSigner, token: string): OptInToken | null {
  const [tenantId, optInId, digest] = links.verify(PURPOSE, token) ?? [];
  if (tenantId === undefined || !Number.isSafeInteger(Number(optInId)) || digest === undefined) return null;
  return { tenantId, optInId: Number(optInId), digest };
}
