import { makeContactToken } from '../../addresses/contact-token.ts';
import type { LinkSigner, UnsubscribeSubject } from '../../addresses/tokens.ts';

/** Used in previews instead of a token; real tokens are never this short. */
export const PREVIEW_TOKEN = 'preview';
/** Common servers reject longer request lines, so the link would not work. */
const MAX_QUERY_CHARS = 6000;

/** The service's URLs in emails, under `{PUBLIC_URL}/api/v1`. */
export interface EmailLinks {
  openUrl: (emailId: number, madeAt?: Date) => string;
  /** The click endpoint's URL for a link, split around the part that differs from email to email. */
  clickUrlParts: (
    emailId: number,
    link: TrackableLink,
    madeAt?: Date,
  ) => [before: string, trackingId: string, after: string];
  clickUrl: (emailId: number, link: TrackableLink, madeAt?: Date) => string;
  unsubscribeUrl: (subject: UnsubscribeSubject) => string;
  preferencesUrl: (subject: UnsubscribeSubject) => string;
  webViewUrl: (emailId: number, madeAt?: Date) => string;
  /** `now`: from when on it is valid for its time; default the present. */
  contactToken: (tenantId: string, contactId: number, now?: number) => string;
  /** The hosted page of a form, for the contact of a token if there is one. */
  formUrl: (formId: number, contactToken: string) => string;
  /** The URL in a preview, which belongs to no email. */
  previewUrl: (page: 'unsubscribe' | 'preferences' | 'view') => string;
  /** The time that tokens made now say. */
  now: () => Date;
  /** Whether a URL leads to the unsubscribe or preference page: such links are never tracked. */
  isOptOut: (url: string) => boolean;
}

/** A link as it is signed (`url`) and as it appears in the query of the click endpoint (`query`). */
export interface TrackableLink {
  url: string;
  query: string;
}

/**
 * A URL as it appears in the query of the click endpoint. encodeURIComponent does not encode the apostrophe, which would
 * end a single-quoted attribute.
 */
export const queryOf = (url: string): string => encodeURIComponent(url).replaceAll("'", '%27');

/**
 * The http(s) link of an href, or null for hrefs that are never rewritten: other schemes, fragments, relative and
 * invalid URLs. Surrounding blanks are removed, as in browsers; a link with characters that are not allowed in a
 * Location header (blanks, control characters, non-ASCII) is serialised by the WHATWG URL standard.
 */
export function trackableLink(href: string): TrackableLink | null {
  const trimmed = href.trim();
  if (!/^https?:\/\//i.test(trimmed)) return null;
  const parsed = URL.parse(trimmed);
  if (!parsed) return null;
  const url = /^[\x21-\x7e]+$/.test(trimmed) ? trimmed : parsed.href;
  const query = queryOf(url);
  return query.length > MAX_QUERY_CHARS ? null : { url, query };
}

/** Whether an href leads to exactly this URL; ignores blanks around it. */
export const isSameLink = (href: string, url: string | null): boolean => href.trim() === url;

const emailPages = (publicUrl: string): string => `${publicUrl.replace(/\/+$/, '')}/api/v1/emails`;

/** `isOptOut` of the links of the service at `publicUrl`. */
export function isOptOutPage(publicUrl: string, url: string): boolean {
  const base = emailPages(publicUrl);
  return url.startsWith(`${base}/unsubscribe/`) || url.startsWith(`${base}/preferences/`);
}

/** `publicUrl` is PUBLIC_URL, with or without a trailing slash. `now`: the clock of tokens that say when they were made. */
export function createEmailLinks({
  publicUrl,
  signer,
  now = () => new Date(),
}: {
  publicUrl: string;
  signer: LinkSigner;
  now?: () => Date;
}): EmailLinks {
  const api = `${publicUrl.replace(/\/+$/, '')}/api/v1`;
  const base = emailPages(publicUrl);
  const clickUrlParts: EmailLinks['clickUrlParts'] = (emailId, { url, query }, madeAt = now()) => [
    `${base}/tracking/click/`,
    signer.clickTrackingId(emailId, url, madeAt),
    `?url=${query}`,
  ];
  return {
    now,
    clickUrlParts,
    openUrl: (emailId, madeAt = now()) => `${base}/tracking/open/${signer.openTrackingId(emailId, madeAt)}`,
    clickUrl: (...of) => clickUrlParts(...of).join(''),
    unsubscribeUrl: (subject) => `${base}/unsubscribe/${signer.unsubscribeToken({ madeAt: now(), ...subject })}`,
    preferencesUrl: (subject) => `${base}/preferences/${signer.unsubscribeToken({ madeAt: now(), ...subject })}`,
    webViewUrl: (emailId, madeAt = now()) => `${base}/view/${signer.viewToken(emailId, madeAt)}`,
    contactToken: (tenantId, contactId, now) => makeContactToken(signer, tenantId, contactId, now),
    formUrl: (formId, token) => `${api}/forms/${formId}/page${token === '' ? '' : `?contactToken=${token}`}`,
    previewUrl: (page) => `${base}/${page}/${PREVIEW_TOKEN}`,
    isOptOut: (url) => isOptOutPage(publicUrl, url),
  };
}
