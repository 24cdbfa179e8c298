import type { LinkSigner, UnsubscribeSubject } from '../../addresses/tokens.ts';

/** Stands in a preview in a token's place; no token of ours is so short. */
export const PREVIEW_TOKEN = 'preview';
/** Above this a request line is refused by common servers, and the link would be lost. */
const MAX_QUERY_CHARS = 6000;

/** The addresses of the service that stand in mails, all under `{PUBLIC_URL}/api/v1/emails`. */
export interface EmailLinks {
  openUrl: (emailId: number) => string;
  /** The click endpoint's address of a link, cut around what differs from mail to mail. */
  clickUrlParts: (emailId: number, link: TrackableLink) => [before: string, trackingId: string, after: string];
  clickUrl: (emailId: number, link: TrackableLink) => string;
  unsubscribeUrl: (subject: UnsubscribeSubject) => string;
  preferencesUrl: (subject: UnsubscribeSubject) => string;
  webViewUrl: (emailId: number) => string;
  /** What stands in a preview, which is no one's mail. */
  previewUrl: (page: 'unsubscribe' | 'preferences' | 'view') => string;
  /** Whether a url leads to the unsubscribe or preference page: such links are never tracked. */
  isOptOut: (url: string) => boolean;
}

/** A link as it is signed (`url`) and as it stands in the query of the click endpoint (`query`). */
export interface TrackableLink {
  url: string;
  query: string;
}

/**
 * The http(s) link that an href means, or null for what is never rewritten: other schemes, fragments, relative
 * and unparsable ones. Surrounding blanks go, as in browsers; a link with characters that may not stand in a
 * Location header (blanks, controls, non-ASCII) is written as the WHATWG URL standard writes it.
 */
export function trackableLink(href: string): TrackableLink | null {
  const trimmed = href.trim();
  if (!/^https?:\/\//i.test(trimmed)) return null;
  const parsed = URL.parse(trimmed);
  if (!parsed) return null;
  const url = /^[\x21-\x7e]+$/.test(trimmed) ? trimmed : parsed.href;
  // encodeURIComponent leaves the apostrophe, which would end a single-quoted attribute.
  const query = encodeURIComponent(url).replaceAll("'", '%27');
  return query.length > MAX_QUERY_CHARS ? null : { url, query };
}

/** Whether an href leads to this very url; blanks around it are none of it. */
export const isSameLink = (href: string, url: string | null): boolean => href.trim() === url;

/** `publicUrl` is PUBLIC_URL, with or without a trailing slash. */
export function createEmailLinks({ publicUrl, signer }: { publicUrl: string; signer: LinkSigner }): EmailLinks {
  const base = `${publicUrl.replace(/\/+$/, '')}/api/v1/emails`;
  const clickUrlParts: EmailLinks['clickUrlParts'] = (emailId, { url, query }) => [
    `${base}/tracking/click/`,
    signer.clickTrackingId(emailId, url),
    `?url=${query}`,
  ];
  return {
    clickUrlParts,
    openUrl: (emailId) => `${base}/tracking/open/${signer.openTrackingId(emailId)}`,
    clickUrl: (emailId, link) => clickUrlParts(emailId, link).join(''),
    unsubscribeUrl: (subject) => `${base}/unsubscribe/${signer.unsubscribeToken(subject)}`,
    preferencesUrl: (subject) => `${base}/preferences/${signer.unsubscribeToken(subject)}`,
    webViewUrl: (emailId) => `${base}/view/${signer.emailToken('view', emailId)}`,
    previewUrl: (page) => `${base}/${page}/${PREVIEW_TOKEN}`,
    isOptOut: (url) => url.startsWith(`${base}/unsubscribe/`) || url.startsWith(`${base}/preferences/`),
  };
}
