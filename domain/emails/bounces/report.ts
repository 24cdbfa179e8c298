import type { BounceKind, WebhookProvider } from '../../../db/entities/emails.ts';
import { oneLine } from '../mime/mime.ts';

/** The outcome for one recipient in a report; `none` if it is not final (delayed, relayed). */
export interface Outcome {
  kind: BounceKind | 'delivered' | 'none';
  /** The recipient in all spellings of the report; empty if the report does not name it. */
  recipients: string[];
  /** An RFC 3463 code such as 5.1.1, else the reply code of RFC 5321. */
  statusCode: string | null;
  diagnostic: string | null;
}

/** A report about one email. */
export interface DeliveryReport {
  emailId: number;
  source: 'mailbox' | WebhookProvider;
  /** Identifies the report, which counts only once even if it arrives repeatedly. Up to 255 characters. */
  eventKey: string;
  /** When the report was made. */
  at: Date;
  /** At least one. */
  outcomes: Outcome[];
}

const MAX_DIAGNOSTIC = 1000;

/** Text from outside, prepared for storage: one line of limited length without control characters; null if empty. */
export function keptText(text: string | null | undefined): string | null {
  return [...oneLine(text ?? '')].slice(0, MAX_DIAGNOSTIC).join('') || null;
}

/** From good to bad for an address. */
const RANKS: readonly Outcome['kind'][] = ['delivered', 'none', 'soft', 'hard', 'complaint'];

/**
 * The outcome for the address that the email was sent to (compared by key): the outcome that names it, else the best
 * of all, because an address that stands for several people must not be blamed for one of them.
 */
export function outcomeFor(
  outcomes: readonly Outcome[],
  emailKey: string,
  keyOf: (address: string) => string,
): Outcome {
  const own = outcomes.filter(({ recipients }) => recipients.some((recipient) => keyOf(recipient) === emailKey));
  return (own.length > 0 ? own : outcomes).reduce((best, next) =>
    RANKS.indexOf(next.kind) < RANKS.indexOf(best.kind) ? next : best,
  );
}
