import type { BounceKind, WebhookProvider } from '../../../db/entities/emails.ts';
import { oneLine } from '../mime/mime.ts';

/** What a report says of one recipient; `none` of one that says nothing final (delayed, relayed). */
export interface Outcome {
  kind: BounceKind | 'delivered' | 'none';
  /** The recipient in whatever spellings the report has; empty where it does not say. */
  recipients: string[];
  /** RFC 3463, as 5.1.1, or the reply code of RFC 5321 where there is nothing better. */
  statusCode: string | null;
  diagnostic: string | null;
}

/** What came back of one email. */
export interface DeliveryReport {
  emailId: number;
  source: 'mailbox' | WebhookProvider;
  /** Names the report: it counts once, however often it comes. Up to 255 characters. */
  eventKey: string;
  /** When it was said. */
  at: Date;
  /** One or more. */
  outcomes: Outcome[];
}

const MAX_DIAGNOSTIC = 1000;

/** Other people's text as it is kept: one line without control characters, bounded; null for nothing. */
export function keptText(text: string | null | undefined): string | null {
  return [...oneLine(text ?? '')].slice(0, MAX_DIAGNOSTIC).join('') || null;
}

/** From what is good to what is bad for an address. */
const RANKS: readonly Outcome['kind'][] = ['delivered', 'none', 'soft', 'hard', 'complaint'];

/**
 * What a report says of the address that the mail went to (as addresses are compared): the outcome that names it, else the
 * best of all. An address that stands for several people is not to blame for one of them.
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
