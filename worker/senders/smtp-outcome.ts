import type { Reply } from './smtp-replies.ts';

/**
 * The outcome of one attempt.
 * - `sent`: 2xx in reply to the final dot.
 * - `rejected`: 5xx in reply to RCPT or the final dot; a retry is pointless.
 * - `retry`: the message was surely not accepted. `providerFault`: the cause was not this message; the connection could
 *   not be opened or authenticated, MAIL got a 5xx, or the session itself was refused.
 * - `not_released`: `beforeDot` returned false; the final dot was never sent.
 * - `unknown`: the final dot was sent and no valid reply came. Must never be sent again automatically.
 */
export type Outcome =
  | { kind: 'sent'; reply: string; provider: string }
  | { kind: 'rejected'; reply: string; provider: string }
  | { kind: 'retry'; reply: string | null; error: string; providerFault: boolean; provider: string }
  | { kind: 'not_released'; provider: string }
  | { kind: 'unknown'; error: string; provider: string };

/** The steps of sending a message: three commands, and the final dot. */
export type Step = 'MAIL' | 'RCPT' | 'DATA' | 'dot';

// Bad sequence; authentication required, too weak or failed; encryption required (RFC 5321, RFC 4954): session errors.
const SESSION_CODES = new Set([503, 530, 534, 535, 538]);

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

/** The outcome of a message whose `step` got this non-positive reply. */
export function outcomeOfRefusal({ code, text: reply }: Reply, step: Step, provider: string): Outcome {
  const error = `${step} was refused: ${reply}`;
  if (step === 'dot' && code < 400) return { kind: 'unknown', error: `no reply to the final dot: ${reply}`, provider };
  const isSessions = SESSION_CODES.has(code);
  if (code >= 500 && !isSessions && (step === 'RCPT' || step === 'dot')) return { kind: 'rejected', reply, provider };
  return { kind: 'retry', reply, error, providerFault: isSessions || (code >= 500 && step === 'MAIL'), provider };
}

/** The outcome of a message whose connection was lost; `released`: the final dot was (or may have been) sent. */
export function outcomeOfLoss({ message: error }: Error, released: boolean, provider: string): Outcome {
  return released
    ? { kind: 'unknown', error, provider }
    : { kind: 'retry', reply: null, error, providerFault: false, provider };
}
