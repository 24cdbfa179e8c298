import { createHash } from 'node:crypto';
import type { OutboundAnswer } from '../../outbound/outbound.ts';
import { jsonOf, outcomeOfStatus, type CallOutcome, type MessageCall } from './outcome.ts';
import type { TextToSend } from './twilio.ts';

export interface HttpConfig {
  url: string;
  from?: string;
  headers?: Record<string, string>;
  contentType?: 'json' | 'form';
  /** Liquid texts over `to`, `from`, `text` and `messageId`. */
  body: Record<string, string>;
  /** Where the answer has the provider's id, such as `data.id`. */
  idPath?: string;
  /** A header with the message's id: the provider accepts two requests with the same one as one message. */
  idempotencyHeader?: string;
}
export interface HttpCredentials {
  headers?: Record<string, string>;
  callbackSecret?: string;
}

/**
 * A digest of all by which a provider with `idempotencyHeader` can tell that a request repeats another: asked at another
 * address, for another account or with another header, it would take it for a new message. Null if it cannot tell.
 */
export function askedAs(config: Record<string, unknown>): string | null {
  const { idPath: _, ...request } = config;
  if (request['idempotencyHeader'] === undefined) return null;
  // Postgres gives the fields of a jsonb always in the same order.
  return createHash('sha256').update(JSON.stringify(request)).digest('base64url');
}

/** The request that hands a text message to a provider with an HTTP API. `values`: the fields of its `body`, rendered. */
export function httpCall(
  { url, contentType = 'json', headers: own, idempotencyHeader }: HttpConfig,
  { headers = {} }: HttpCredentials,
  { messageId }: Pick<TextToSend, 'messageId'>,
  values: Record<string, string>,
): MessageCall {
  return {
    url,
    // Of several with the same name, in any case, the last one is sent.
    headers: {
      ...own,
      ...headers,
      ...(idempotencyHeader ? { [idempotencyHeader]: `perennial-${messageId}` } : {}),
      'content-type': contentType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
    },
    body: contentType === 'form' ? new URLSearchParams(values).toString() : JSON.stringify(values),
  };
}

export function judgeHttp({ idPath, idempotencyHeader }: HttpConfig, answer: OutboundAnswer): CallOutcome {
  const judged = outcomeOfStatus(answer);
  // The provider knows the message by its key, so asking it again sends nothing twice.
  if (judged.result === 'UNKNOWN' && idempotencyHeader) return { ...judged, isRepeatable: true };
  if (judged.result !== 'SENT' || !idPath) return judged;
  return { ...judged, providerMessageId: idAt(jsonOf(answer), idPath) };
}

/** The id at a path of names and indexes; null if there is none. */
function idAt(value: unknown, path: string): string | null {
  let found = value;
  for (const name of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return null;
    found = (found as Record<string, unknown>)[name];
  }
  const id = typeof found === 'number' ? String(found) : found;
  return typeof id === 'string' && id !== '' && id.length <= 255 && !id.includes('\0') ? id.toWellFormed() : null;
}
