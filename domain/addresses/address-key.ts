import { normaliseEmail } from '../../lib/addresses/email.ts';

/**
 * The key by which addresses are compared. An invalid address is only trimmed and lower-cased; sending to it fails.
 */
export function addressKey(address: string): string {
  const normalised = normaliseEmail(address);
  return 'emailKey' in normalised ? normalised.emailKey : address.trim().toLowerCase();
}
