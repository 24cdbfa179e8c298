import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { NamedEmail } from '../../domain/addresses/tokens.ts';
import { keptUrl } from '../../domain/addresses/kept-url.ts';
import { isOptOutPage } from '../../domain/emails/rendering/links.ts';
import type { EmailHit, MessageHit } from '../../domain/tracking/hit.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { isPrefetch } from './prefetch.ts';

const MAX_AGENT = 500;

/** For every response to a hit: one served from a cache would not be counted. */
export const noStore = { 'Cache-Control': 'no-store, private', 'X-Robots-Tag': 'noindex' };

/** Who hit, and how. */
export interface Visit {
  address: string;
  method: string;
  headers: IncomingHttpHeaders;
}

function hitOf({ address, method, headers }: Visit) {
  return {
    id: randomUUID(),
    at: new Date().toISOString(),
    ip: address || null,
    userAgent: headers['user-agent']?.slice(0, MAX_AGENT) || null,
    automated: method === 'HEAD' || isPrefetch(headers),
  };
}

/** An open, or a click on a link of an email, as it is published. The hit has the `url` without tokens. */
export const emailHit = (
  { type, url }: Pick<EmailHit, 'type' | 'url'>,
  { emailId, madeAt }: NamedEmail,
  visit: Visit,
): EmailHit => ({
  ...hitOf(visit),
  type,
  emailId,
  madeAt: madeAt?.toISOString() ?? null,
  url: url === null ? null : keptUrl(url),
});

/**
 * A click on a link of a text message or push, as it is published; null if it leads to the unsubscribe or preference page
 * of the service at `publicUrl`, which is not tracked.
 */
export const messageHit = (
  { sendId, url }: Pick<MessageHit, 'sendId' | 'url'>,
  visit: Visit,
  publicUrl: string,
): MessageHit | null =>
  isOptOutPage(publicUrl, url) ? null : { ...hitOf(visit), type: 'CLICK', sendId, url: keptUrl(url) };

export const clickNotStored = (): AppError =>
  new AppError('unavailable', 'The click could not be recorded in time; try again', {
    headers: { ...noStore, 'Retry-After': '1' },
  });
