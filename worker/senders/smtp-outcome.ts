import type { Reply } from './smtp-replies.ts';

/**
 * What became of one attempt.
 * - `sent`: 2xx to the final dot.
 * - `rejected`: 5xx to RCPT or to the dot; trying again is pointless.
 * - `retry`: the message was surely not accepted. `providerFault` says that it was not about this message at all: the
 *   connection could not be opened or authenticated, MAIL got a 5xx, or the session itself was refused.
 * - `not_released`: `beforeDot` said no; the dot was never sent.
 * - `unknown`: the dot was sent and no answer came. Never to be sent again by itself.
 */
export type Outcome =
  | { kind: 'sent'; reply: string; provider: string }
  | { kind: 'rejected'; reply: string; provider: string }
  | { kind: 'retry'; reply: string | null; error: string; providerFault: boolean; provider: string }
  | { kind: 'not_released'; provider: string }
  | { kind: 'unknown'; error: string; provider: string };

/** What a message consists of for a server: three commands, and the dot that ends it. */
export type Step = 'MAIL' | 'RCPT' | 'DATA' | 'dot';

// Bad sequence, authentication required, too weak, failed, encryption required (RFC 5321, RFC 4954): the session's trouble.
const SESSION_CODES = new Set([503, 530, 534, 535, 538]);

/**
 * Whether the message can go on after this reply to `step`; after the dot, whether it was accepted. Anything else that is no
 * refusal is an answer to something else, and nothing said after it can be trusted.
 */
export function isPositive({ code }: Reply, step: Step): boolean {
  const least = step === 'DATA' ? 300 : 200;
  return code >= least && code < least + 100;
}

/** Whether a reply says no (RFC 5321, section 4.2.1). */
export const isNegative = ({ code }: Reply): boolean => code >= 400;

/** The outcome of a message that a server has not let go on. */
export function outcomeOfRefusal({ code, text: reply }: Reply, step: Step, provider: string): Outcome {
  const error = `${step} was refused: ${reply}`;
  if (step === 'dot' && code < 400) return { kind: 'unknown', error: `no reply to the final dot: ${reply}`, provider };
  const isSessions = SESSION_CODES.has(code);
  if (code >= 500 && !isSessions && (step === 'RCPT' || step === 'dot')) return { kind: 'rejected', reply, provider };
  return { kind: 'retry', reply, error, providerFault: isSessions || (code >= 500 && step === 'MAIL'), provider };
}

/** The outcome of a message whose connection was lost; `released` says whether the final dot was let go. */
export function outcomeOfLoss({ message: error }: Error, released: boolean, provider: string): Outcome {
  return released
    ? { kind: 'unknown', error, provider }
    : { kind: 'retry', reply: null, error, providerFault: false, provider };
}
