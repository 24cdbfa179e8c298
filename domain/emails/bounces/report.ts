import type { BounceKind, WebhookProvider } from '../../../db/entities/emails.ts';
import { oneLine } from '../mime/mime.ts';
import type { Verdict } from './judge-failure.ts';

/** The outcome for one recipient in a report; `none` if it is not final (delayed, relayed). */
export interface Outcome {
  verdict: Verdict | 'complaint' | 'delivered' | 'none';
  /** The recipient in all spellings of the report; empty if the report does not name it. */
  recipients: string[];
  /** An RFC 3463 code such as 5.1.1, else the reply code of RFC 5321. */
  statusCode: string | null;
  diagnostic: string | null;
}

/** A report about one email. */
export interface DeliveryReport {
  emailId: number;
  /** `smtp`: a server's reply to an attempt; `stream`: an event, told to a Postgres that was put back. */
  source: 'mailbox' | 'smtp' | 'stream' | WebhookProvider;
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

/** What an outcome means for the address; null if it is no bounce and no complaint. */
export function bounceKindOf(verdict: Outcome['verdict']): BounceKind | null {
  if (verdict === 'delivered' || verdict === 'none') return null;
  return verdict === 'complaint' ? 'complaint' : verdict === 'address' ? 'hard' : 'soft';
}

/**
 * The verdicts of soft bounces that say something about the address, so that five in a row suppress it. The others are
 * the fault of the sender or of a rule: they would suppress the whole list.
 */
export const COUNTED_VERDICTS = ['mailbox', 'temporary', 'unclear'] as const satisfies readonly Verdict[];

/** From good to bad for an address. */
const RANKS: readonly Outcome['verdict'][] = [
  'delivered',
  'none',
  'account',
  'sender',
  'policy',
  'content',
  'restricted',
  'temporary',
  'unclear',
  'mailbox',
  'address',
  'complaint',
];

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
    RANKS.indexOf(next.verdict) < RANKS.indexOf(best.verdict) ? next : best,
  );
}
