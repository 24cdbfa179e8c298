import type { EmailSender } from '../../../db/entities/email-senders.ts';
import { recordName, recordValue } from './record.ts';

/** A DKIM key as shown to its owner. */
export interface PublicDkimKey {
  domain: string;
  selector: string;
  publicKey: string;
  dnsName: string;
  dnsValue: string;
  verifiedAt: Date | null;
}

/**
 * The public part of a sender's key; null if it has none. The record of a key that the tenant supplied must name the
 * tenant.
 */
export function publicDkimKey({
  tenantId,
  dkimDomain: domain,
  dkimSelector: selector,
  dkimPublicKey: publicKey,
  dkimBrought,
  dkimVerifiedAt,
}: EmailSender): PublicDkimKey | null {
  if (!domain || !selector || !publicKey) return null;
  return {
    domain,
    selector,
    publicKey,
    dnsName: recordName(domain, selector),
    dnsValue: recordValue(publicKey, dkimBrought ? tenantId : null),
    verifiedAt: dkimVerifiedAt ?? null,
  };
}
