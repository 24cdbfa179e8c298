import { createHash, timingSafeEqual } from 'node:crypto';
import type { Deps } from '../../../runtime/deps.ts';
import { judgeFailure, type Evidence } from '../../../domain/emails/bounces/judge-failure.ts';
import type { DeliveryReport, Outcome } from '../../../domain/emails/bounces/report.ts';
import { emailOfMessageId, emailOfReturnPath } from '../../../domain/emails/mime/return-path.ts';
import type { OptOutReport } from '../../../domain/choices/subscription/record-opt-outs.ts';
import type { LinkSigner } from '../../../domain/addresses/tokens.ts';
import { AppError } from '../../../lib/checks/errors.ts';

/** A webhook call of a provider, unparsed. */
export interface WebhookRequest {
  deps: Pick<Deps, 'env' | 'links' | 'fetchText'>;
  body: Buffer;
  /** The value of a header, or '' if it is absent. */
  header: (name: string) => string;
  now: Date;
}

export interface WebhookReading {
  reports: DeliveryReport[];
  /** Recipients who opted out at the provider. */
  optOuts?: OptOutReport[];
  /** A token that may be used only once: a second call with it changes nothing. */
  once?: { token: string; at: Date };
}

export interface Webhook {
  isConfigured: (env: Deps['env']) => boolean;
  /** Authenticates the call and returns its reports about our emails. Throws `unauthorized`, `malformed_json`. */
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

/** The nested member at `path` of untrusted JSON, or undefined. */
export function memberOf(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Record<string, unknown>)[name]
        : undefined,
    value,
  );
}

/** A string member (or a number, as a string); '' for anything else. */
export function textOf(value: unknown, ...path: string[]): string {
  const found = memberOf(value, ...path);
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : '';
}

export function listOf(value: unknown, ...path: string[]): unknown[] {
  const found = memberOf(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** The key under which a provider's event is stored: its id or, if it has none, a digest of the event. */
export function eventKeyOf(id: string, event: unknown): string {
  if (/^[\x21-\x7e]+$/.test(id) && id.length <= MAX_KEY) return id;
  return createHash('sha256')
    .update(id || JSON.stringify(event))
    .digest('base64url');
}

/** The first instant of the year 10000, which RFC 3339 cannot express. */
const END_OF_TIME = Date.UTC(10_000, 0);

/**
 * Parses a time, in RFC 3339 or in seconds since 1970, between 1970 and the end of the year 9999; otherwise `fallback`.
 */
export function timeOf(text: string, fallback: Date): Date {
  const time = new Date(/^\d+(\.\d+)?$/.test(text) ? Number(text) * 1000 : text);
  return time.getTime() >= 0 && time.getTime() < END_OF_TIME ? time : fallback;
}

/** Whether two times are close enough to rule out a replay. */
export const isNear = (time: Date, now: Date, withinMs: number): boolean =>
  Math.abs(time.getTime() - now.getTime()) <= withinMs;

/** Compares secrets in constant time, whatever their lengths. */
export function isSame(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}

/** The email that one of these texts (a Message-ID or a return path) belongs to. */
export function emailOf(links: LinkSigner, ...texts: string[]): number | null {
  for (const text of texts) {
    const emailId = emailOfReturnPath(text, links) ?? emailOfMessageId(text, links);
    if (emailId !== null) return emailId;
  }
  return null;
}

/**
 * Judges a failure by the server's reply. `given` is what the provider says: it counts if the reply says nothing. But
 * that an address is dead is not believed of a reply that nobody understands.
 */
export function judged(evidence: Evidence, given: Outcome['verdict']): Pick<Outcome, 'verdict' | 'statusCode'> {
  const failure = judgeFailure(evidence);
  const says = failure && (failure.verdict !== 'unclear' || (given === 'address' && evidence.text));
  return { verdict: says ? failure.verdict : given, statusCode: failure?.statusCode ?? null };
}
