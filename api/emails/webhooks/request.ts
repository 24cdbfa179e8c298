import { createHash, timingSafeEqual } from 'node:crypto';
import type { Deps } from '../../../runtime/deps.ts';
import type { DeliveryReport } from '../../../domain/emails/bounces/report.ts';
import { emailOfMessageId, emailOfReturnPath } from '../../../domain/emails/mime/return-path.ts';
import type { LinkSigner } from '../../../domain/addresses/tokens.ts';
import { AppError } from '../../../domain/common/errors.ts';

/** A call of a provider, as it came. */
export interface WebhookRequest {
  deps: Pick<Deps, 'env' | 'links' | 'fetchText'>;
  body: Buffer;
  /** A header's value, '' where it is absent. */
  header: (name: string) => string;
  now: Date;
}

export interface WebhookReading {
  reports: DeliveryReport[];
  /** What may be used only once: a second call with it changes nothing. */
  once?: { token: string; at: Date };
}

export interface Webhook {
  isConfigured: (env: Deps['env']) => boolean;
  /** What a call says of our mails, once it is proved who calls. Throws `unauthorized`, `malformed_json`. */
  read: (request: WebhookRequest) => WebhookReading | Promise<WebhookReading>;
}

const MAX_KEY = 255;
export const FIVE_MINUTES_MS = 300_000;

export const unauthorized = (detail: string): AppError => new AppError('unauthorized', detail);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new AppError('malformed_json', undefined, { cause: error });
  }
}

/** A member of a member of other people's JSON, undefined where there is none. */
export function memberOf(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    value,
  );
}

/** A member that is text (or a number, as text); '' for anything else. */
export function textOf(value: unknown, ...path: string[]): string {
  const found = memberOf(value, ...path);
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : '';
}

export function listOf(value: unknown, ...path: string[]): unknown[] {
  const found = memberOf(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** A provider's id of an event as it is kept; of an event without one, a digest of all that it says. */
export function eventKeyOf(id: string, event: unknown): string {
  if (/^[\x21-\x7e]+$/.test(id) && id.length <= MAX_KEY) return id;
  return createHash('sha256')
    .update(id || JSON.stringify(event))
    .digest('base64url');
}

/** The first instant of the year 10000, which RFC 3339 can not write any more. */
const END_OF_TIME = Date.UTC(10_000, 0);

/** A time in RFC 3339 or in seconds since 1970, not before and not after the year 9999; `fallback` where it is neither. */
export function timeOf(text: string, fallback: Date): Date {
  const time = new Date(/^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : text);
  return time.getTime() >= 0 && time.getTime() < END_OF_TIME ? time : fallback;
}

/** Whether a time is so near to another that it is no replay. */
export const isNear = (time: Date, now: Date, withinMs: number): boolean =>
  Math.abs(time.getTime() - now.getTime()) <= withinMs;

/** Compares secrets in constant time, whatever their lengths. */
export function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The email that one of these, a Message-ID or a return path, is of. */
export function emailOf(links: LinkSigner, ...texts: string[]): number | null {
  for (const text of texts) {
    const emailId = emailOfReturnPath(text, links) ?? emailOfMessageId(text, links);
    if (emailId !== null) return emailId;
  }
  return null;
}
