import { judgeFailure, type Failure, type Verdict } from '../../domain/emails/bounces/judge-failure.ts';
import type { Reply } from './smtp-replies.ts';

/**
 * The outcome of one attempt.
 * - `sent`: 2xx in reply to the final dot.
 * - `rejected`: a 5xx because of the address, the mailbox, a rule of this recipient, the content of this message, or for
 *   an unclear reason; a retry is pointless, with any provider.
 * - `retry`: the message was surely not accepted, and another attempt or provider may succeed. `blames`:
 *   - `provider`: the connection could not be opened or authenticated, or a 5xx blames the account, the sender or a
 *     policy before the server knew the message; other messages would fare the same;
 *   - `message`: a 5xx to the final dot blames the sender or a policy. Other messages, such as those of other tenants,
 *     may well be accepted, so this says nothing of the provider; but many of a campaign say something of the campaign;
 *   - null: neither; the server or the network had a passing trouble.
 * - `not_released`: `beforeDot` returned false; the final dot was never sent.
 * - `unknown`: the final dot was sent and no valid reply came. Must never be sent again automatically.
 */
export type Outcome =
  | { kind: 'sent'; reply: string; provider: string }
  | { kind: 'rejected'; failure: Failure; reply: string; provider: string }
  | { kind: 'retry'; reply: string | null; error: string; blames: Blamed; provider: string }
  | { kind: 'not_released'; provider: string }
  | { kind: 'unknown'; error: string; provider: string };

/** What a message that was not accepted tells about; see `Outcome`. */
export type Blamed = 'provider' | 'message' | null;

/** The steps of sending a message: three commands, and the final dot. */
export type Step = 'MAIL' | 'RCPT' | 'DATA' | 'dot';

// Bad sequence; authentication required, too weak or failed; encryption required (RFC 5321, RFC 4954): session errors.
const SESSION_CODES = new Set([503, 530, 534, 535, 538]);

/** Verdicts that another provider, or the same one later, may not share. */
const NOT_THE_RECIPIENTS: ReadonlySet<Verdict> = new Set(['account', 'sender', 'policy']);

/**
 * Whether this reply to `step` lets the message go on; for the final dot, whether the message was accepted. A reply
 * that is neither positive nor negative belongs to another command, so later replies cannot be trusted either.
 */
export function isPositive({ code }: Reply, step: Step): boolean {
  const least = step === 'DATA' ? 300 : 200;
  return code >= least && code < least + 100;
}

/** Whether a reply is a refusal (RFC 5321, section 4.2.1). */
export const isNegative = ({ code }: Reply): boolean => code >= 400;

/** Whose fault a negative reply to `step` says it is. */
export function judgeReply({ code, text }: Reply, step: Step): Failure {
  const failure = judgeFailure({ reply: code, text })!;
  if (SESSION_CODES.has(code)) return { ...failure, verdict: 'account' };
  // MAIL names only the sender, so its refusal says nothing of the recipient or the message.
  const isSenders = step === 'MAIL' && code >= 500 && !NOT_THE_RECIPIENTS.has(failure.verdict);
  return isSenders ? { ...failure, verdict: 'sender' } : failure;
}

/** The outcome of a message whose `step` got this non-positive reply. */
export function outcomeOfRefusal({ code, text: reply }: Reply, step: Step, provider: string): Outcome {
  const error = `${step} was refused: ${reply}`;
  if (step === 'dot' && code < 400) return { kind: 'unknown', error: `no reply to the final dot: ${reply}`, provider };
  if (code < 500) return { kind: 'retry', reply, error, blames: null, provider };
  const failure = judgeReply({ code, text: reply }, step);
  const { verdict } = failure;
  if (NOT_THE_RECIPIENTS.has(verdict)) {
    const blames = step === 'dot' && verdict !== 'account' ? 'message' : 'provider';
    return { kind: 'retry', reply, error, blames, provider };
  }
  // At DATA the recipient was accepted and the message is not known yet.
  if (verdict === 'temporary' || (verdict === 'unclear' && step === 'DATA'))
    return { kind: 'retry', reply, error, blames: null, provider };
  return { kind: 'rejected', failure, reply, provider };
}

/** The outcome of a message whose connection was lost; `released`: the final dot was (or may have been) sent. */
export function outcomeOfLoss({ message: error }: Error, released: boolean, provider: string): Outcome {
  return released
    ? { kind: 'unknown', error, provider }
    : { kind: 'retry', reply: null, error, blames: null, provider };
}
