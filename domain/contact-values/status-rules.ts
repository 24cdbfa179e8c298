import type { Violation } from '../../lib/checks/errors.ts';
import type { ContactStatus } from './contact-values.ts';

const SETTABLE: readonly ContactStatus[] = ['unsubscribed', 'archived'];

/** The violations of setting a contact's status; its current status (`active` for a new one) is always accepted. */
export function statusViolations(wanted: ContactStatus | undefined, current: ContactStatus): Violation[] {
  if (wanted === undefined || wanted === current || SETTABLE.includes(wanted)) return [];
  const message =
    wanted === 'active'
      ? 'cannot be set: only a confirmed opt-in, or removing the suppression of the address, makes a contact active again'
      : `cannot be set: the service itself sets ${wanted}; only unsubscribed and archived can be set`;
  return [{ path: '/status', code: 'invalid_status', message }];
}
