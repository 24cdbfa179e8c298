import type { SettledAttempt } from '../../domain/emails/bounces/settle-attempts.ts';
import { backoff } from '../../lib/time/backoff.ts';
import type { Outcome } from './smtp-outcome.ts';

const MAX_REPLY = 1000;

/**
 * Seconds until an email that was surely not sent is retried. After the provider's own fault: very soon, while it is
 * out of use and another can take the email; later less and less often, up to an hour. After a lost connection: soon.
 * After a temporary refusal by the recipient's server (greylisting, a full mailbox), or one of this message by a filter:
 * a minute, then longer, up to an hour.
 */
export function retryDelay(outcome: Outcome, attempt: number): number {
  if (outcome.kind !== 'retry') return 1;
  if (outcome.blames === 'provider') return backoff(attempt, 0.3, 3600);
  if (outcome.reply === null || outcome.reply.startsWith('421')) return backoff(attempt, 5, 600);
  return backoff(attempt, 60, 3600);
}

/** Makes a text storable in Postgres (no NUL, no lone surrogates) and limits its length. */
const printable = (text: string): string => text.toWellFormed().replaceAll('\0', '').slice(0, MAX_REPLY);

/** Converts an outcome to the settlement of its attempt in the ledger. */
export function settlementOf(
  email: { id: number; tenantId: string; attempt: number },
  outcome: Outcome,
): SettledAttempt {
  const { provider } = outcome;
  switch (outcome.kind) {
    case 'sent':
      return { ...email, provider, result: 'SENT', reply: printable(outcome.reply) };
    case 'rejected':
      return { ...email, provider, result: 'FAILED', reply: printable(outcome.reply), failure: outcome.failure };
    case 'retry':
      return {
        ...email,
        provider,
        result: 'QUEUED',
        reply: printable(outcome.reply ?? outcome.error),
        delaySeconds: retryDelay(outcome, email.attempt),
      };
    case 'not_released':
      return {
        ...email,
        provider,
        result: 'QUEUED',
        reply: 'not released: the lease had ended, or the process stopped',
        delaySeconds: retryDelay(outcome, email.attempt),
      };
    case 'unknown':
      return { ...email, provider, result: 'UNKNOWN', reply: printable(outcome.error) };
  }
}
