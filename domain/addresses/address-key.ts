import { normaliseEmail } from '../common/email.ts';

/** How addresses are compared; one that is not sound is compared as it is, and fails when it is sent. */
export function addressKey(address: string): string {
  const normalised = normaliseEmail(address);
  return 'emailKey' in normalised ? normalised.emailKey : address.trim().toLowerCase();
}
