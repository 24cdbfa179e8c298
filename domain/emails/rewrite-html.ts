import MagicString from 'magic-string';
import { scanHtml } from './html-scan.ts';
import { trackedHref } from './instrument.ts';
import { trackableLink } from './links.ts';
import { preheaderHtml, trailerHtml } from './mail-frame.ts';
import type { MailFrame } from './mail-frame.ts';

/**
 * Finishes rendered HTML: links through the click endpoint, preheader, footer, pixel. Everything else stays byte for
 * byte. This parses the mail, some milliseconds for a long one; templates that can be instrumented do without.
 */
export function rewriteHtml(html: string, frame: MailFrame, preheader: string): string {
  const scan = scanHtml(html);
  const edit = new MagicString(html);
  const { emailId, links, unsubscribeUrl } = frame;
  for (const tag of emailId === null ? [] : scan.startTags) {
    const href = trackedHref(tag);
    const link = href && trackableLink(href.value);
    if (!link || emailId === null || links.isOptOut(link.url)) continue;
    edit.update(href.raw.start, href.raw.end, links.clickUrl(emailId, link));
  }
  const shown = unsubscribeUrl !== null && html.slice(0, scan.bodyEnd).includes(unsubscribeUrl);
  edit.appendLeft(scan.bodyStart, preheaderHtml(preheader));
  edit.appendLeft(scan.bodyEnd, trailerHtml(frame, shown));
  return edit.toString();
}
