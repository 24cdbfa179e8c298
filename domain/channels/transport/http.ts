import { createHash } from 'node:crypto';
import type { OutboundAnswer } from '../../outbound/outbound.ts';
import { renderChunks, sharedEngine } from '../../emails/rendering/template-engine.ts';
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

/** The request that hands a text message to a provider with an HTTP API. */
export function httpCall(config: HttpConfig, { headers = {} }: HttpCredentials, text: TextToSend): MessageCall {
  const { url, contentType = 'json', body, idempotencyHeader } = config;
  const scope = { to: text.to, from: config.from ?? '', text: text.text, messageId: String(text.messageId) };
  const engine = sharedEngine('text');
  // Values are rendered first and encoded then, so that no text can add a field.
  const values = Object.entries(body).map(
    ([name, liquid]) => [name, renderChunks(engine, engine.parse(liquid), scope).join('')] as const,
  );
  return {
    url,
    // Of several with the same name, in any case, the last one is sent.
    headers: {
      ...config.headers,
      ...headers,
      ...(idempotencyHeader ? { [idempotencyHeader]: `perennial-${text.messageId}` } : {}),
      'content-type': contentType === 'form' ? 'application/x-www-form-urlencoded' : 'application/json',
    },
    body:
      contentType === 'form'
        ? new URLSearchParams(Object.fromEntries(values)).toString()
        : JSON.stringify(Object.fromEntries(values)),
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
