import type { OutboundError } from '../../outbound/outbound-error.ts';
import type { OutboundAnswer } from '../../outbound/outbound.ts';
import { retryAfterSeconds } from '../../outbound/retry-after.ts';

/** A request that carries one message; its last byte is held back until it may be sent. */
export interface MessageCall {
  url: string;
  headers: Record<string, string>;
  body: string | Buffer;
}

/** What came of a request. */
export interface CallOutcome {
  /**
   * SENT: accepted. FAILED: refused for good. QUEUED: surely not accepted, to be tried again. UNKNOWN: it may have been
   * accepted.
   */
  result: 'SENT' | 'FAILED' | 'QUEUED' | 'UNKNOWN';
  /** Of FAILED; or `outbound_refused`: its host leads to no address that may be called. */
  reason: string | null;
  providerMessageId: string | null;
  /** The seconds that the provider asked to wait; at most a day. */
  retryAfter: number | null;
  /** Whether it speaks against the provider: it refused to serve us, did not answer, or could not be reached. */
  fault: 'refused' | 'silent' | null;
  /** What the provider said about the number: it is unknown or unreachable for good, or has opted out. */
  suppress: 'invalid' | 'unsubscribed' | null;
  /** The device takes no more pushes. */
  isGone: boolean;
  /** Of UNKNOWN: the same provider, and no other, may be asked again, because it knows the message by its key. */
  isRepeatable: boolean;
  /** The answer, or the error; without numbers. */
  reply: string;
}

const MOST_REPLY = 300;
/** Whatever a provider asks for: after a day the message is looked at again. */
const LONGEST_RETRY_AFTER_SECONDS = 86_400;
const PHONE_NUMBER = /\+\d[\d ().-]{5,}\d|(?<![A-Za-z0-9])\d{8,}/g;

export const outcome = (
  result: CallOutcome['result'],
  reply: string,
  more: Partial<CallOutcome> = {},
): CallOutcome => ({
  ...{ reason: null, providerMessageId: null, retryAfter: null, fault: null, suppress: null, isGone: false },
  isRepeatable: false,
  ...more,
  result,
  reply: reply.replace(PHONE_NUMBER, '…').slice(0, MOST_REPLY).toWellFormed().replaceAll('\0', ''),
});

/** The outcome of a request without a whole answer. */
export function outcomeOfError({ code, message, released }: OutboundError): CallOutcome {
  if (code === 'busy') return outcome('QUEUED', message);
  if (code === 'outbound_refused') return outcome('QUEUED', message, { fault: 'refused', reason: code });
  if (!released) return outcome('QUEUED', message, { fault: code === 'not_released' ? null : 'refused' });
  return outcome('UNKNOWN', message, { fault: 'silent' });
}

/**
 * The outcome that a status of HTTP means, whatever the body says. Without the last byte of its body the provider
 * cannot have acted on the request, so an answer before that accepts nothing.
 */
export function outcomeOfStatus({ status, headers, body, released }: OutboundAnswer): CallOutcome {
  const reply = `${status} ${body.toString().trim()}`;
  const asked = retryAfterSeconds(headers['retry-after'], Date.now());
  const retryAfter = asked === null ? null : Math.min(asked, LONGEST_RETRY_AFTER_SECONDS);
  if (status >= 200 && status < 300)
    return released ? outcome('SENT', reply) : outcome('QUEUED', reply, { fault: 'refused' });
  if (status === 401 || status === 403) return outcome('QUEUED', reply, { fault: 'refused' });
  if (status === 429 || status === 503) return outcome('QUEUED', reply, { retryAfter });
  if (status >= 400 && status < 500) return outcome('FAILED', reply, { reason: 'rejected' });
  if (!released) return outcome('QUEUED', reply, { fault: 'refused' });
  // A redirect may follow a request that was acted on (303), so it is as good as no answer.
  return outcome('UNKNOWN', reply, { fault: 'silent' });
}

/** The JSON of an answer; undefined if it is none. */
export function jsonOf({ body }: OutboundAnswer): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    return undefined;
  }
}
