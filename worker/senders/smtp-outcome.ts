import { judgeFailure, type Failure, type Verdict } from '../../domain/emails/bounces/judge-failure.ts';
import type { Reply } from './smtp-replies.ts';

/**
 * The outcome of one attempt.
 * - `sent`: 2xx in reply to the final dot.
 * - `rejected`: a 5xx because of the address, the mailbox, the content of this message, or for an unclear reason; a
 *   retry is pointless, with any provider.
 * - `retry`: the message was surely not accepted, and another attempt or provider may succeed. `providerFault`: the
 *   cause was not this message; the connection could not be opened or authenticated, or a 5xx blames the sender, the
 *   account, a policy or a blocklist.
 * - `not_released`: `beforeDot` returned false; the final dot was never sent.
 * - `unknown`: the final dot was sent and no valid reply came. Must never be sent again automatically.
 */
export type Outcome =
  | { kind: 'sent'; reply: string; provider: string }
  | { kind: 'rejected'; failure: Failure; reply: string; provider: string }
  | { kind: 'retry'; reply: string | null; error: string; providerFault: boolean; provider: string }
  | { kind: 'not_released'; provider: string }
  | { kind: 'unknown'; error: string; provider: string };

/** The steps of sending a message: three commands, and the final dot. */
export type Step = 'MAIL' | 'RCPT' | 'DATA' | 'dot';

// Bad sequence; authentication required, too weak or failed; encryption required (RFC 5321, RFC 4954): session errors.
const SESSION_CODES = new Set([503, 530, 534, 535, 538]);

/** Verdicts that another provider, or the same one later, may not share. */
const PROVIDERS_FAULT: ReadonlySet<Verdict> = new Set(['sender', 'policy']);

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
  // MAIL names only the sender, so its refusal says nothing of the recipient or the message.
  const isSenders = SESSION_CODES.has(code) || (step === 'MAIL' && code >= 500 && failure.verdict !== 'policy');
  return isSenders ? { ...failure, verdict: 'sender' } : failure;
}

/** The outcome of a message whose `step` got this non-positive reply. */
export function outcomeOfRefusal({ code, text: reply }: Reply, step: Step, provider: string): Outcome {
  const error = `${step} was refused: ${reply}`;
  if (step === 'dot' && code < 400) return { kind: 'unknown', error: `no reply to the final dot: ${reply}`, provider };
  if (code < 500) return { kind: 'retry', reply, error, providerFault: false, provider };
  const failure = judgeReply({ code, text: reply }, step);
  const { verdict } = failure;
  if (PROVIDERS_FAULT.has(verdict)) return { kind: 'retry', reply, error, providerFault: true, provider };
  // At DATA the recipient was accepted and the message is not known yet.
  if (verdict === 'temporary' || (verdict === 'unclear' && step === 'DATA'))
    return { kind: 'retry', reply, error, providerFault: false, provider };
  return { kind: 'rejected', failure, reply, provider };
}

/** The outcome of a message whose connection was lost; `released`: the final dot was (or may have been) sent. */
export function outcomeOfLoss({ message: error }: Error, released: boolean, provider: string): Outcome {
  return released
    ? { kind: 'unknown', error, provider }
    : { kind: 'retry', reply: null, error, providerFault: false, provider };
}
