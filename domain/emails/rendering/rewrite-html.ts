import MagicString from 'magic-string';
import { scanHtml } from './html-scan.ts';
import { isTracked, linkHref, linkTags } from './instrument.ts';
import { isSameLink, trackableLink } from './links.ts';
import { preheaderHtml, trailerHtml } from './mail-frame.ts';
import type { MailFrame } from './mail-frame.ts';

/**
 * Finishes rendered HTML: links through the click endpoint, preheader, footer, pixel. Everything else remains byte for
 * byte. Parses the email, which takes some milliseconds for a long one; instrumented templates avoid this.
 */
export function rewriteHtml(html: string, frame: MailFrame, preheader: string): string {
  const scan = scanHtml(html);
  const edit = new MagicString(html);
  const { emailId, madeAt, links, unsubscribeUrl } = frame;
  let shown = false;
  for (const { tag, isConditional } of linkTags(scan)) {
    const href = linkHref(tag);
    if (href && !isConditional && tag.start < scan.bodyEnd && isSameLink(href.value, unsubscribeUrl)) shown = true;
    const link = href && isTracked(tag) ? trackableLink(href.value) : null;
    if (!href || !link || emailId === null || links.isOptOut(link.url)) continue;
    edit.update(href.raw.start, href.raw.end, links.clickUrl(emailId, link, madeAt));
  }
  edit.appendLeft(scan.bodyStart, preheaderHtml(preheader));
  edit.appendLeft(scan.bodyEnd, trailerHtml(frame, shown));
  return edit.toString();
}
