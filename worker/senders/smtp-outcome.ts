import type { NodemailerError } from 'nodemailer/lib/errors';

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

// Bad sequence, authentication required, too weak, failed, encryption required (RFC 5321, RFC 4954): the session's trouble.
const SESSION_CODES = new Set([503, 530, 534, 535, 538]);

/** The outcome of a failed attempt; `released` says whether the final dot was let go. */
export function classifyFailure(error: NodemailerError, released: boolean, provider: string): Outcome {
  const code = error.responseCode ?? 0;
  const reply = typeof error.response === 'string' ? error.response : null;
  // nodemailer says EMESSAGE for a reply to the message itself, EENVELOPE for one to the commands before it.
  const toDot = released && error.code === 'EMESSAGE' && code >= 400;
  if (released && !toDot) return { kind: 'unknown', error: error.message, provider };
  const toEnvelope = error.code === 'EENVELOPE';
  if (code >= 500 && !SESSION_CODES.has(code) && (toDot || (toEnvelope && error.command === 'RCPT TO'))) {
    return { kind: 'rejected', reply: reply ?? error.message, provider };
  }
  const providerFault = SESSION_CODES.has(code) || (code >= 500 && toEnvelope && error.command === 'MAIL FROM');
  return { kind: 'retry', reply, error: error.message, providerFault, provider };
}
