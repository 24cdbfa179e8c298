import type { EmailLinks } from './links.ts';
import { escapeHtml } from './escape-html.ts';

/** What is needed to finish one recipient's email. If `emailId` is null (a preview), nothing is tracked. */
export interface MailFrame {
  links: EmailLinks;
  emailId: number | null;
  /** The time that its links say: one for all of them. */
  madeAt: Date;
  /** Set if the email must contain an unsubscribe link, as marketing email must. */
  unsubscribeUrl: string | null;
  /** Set if the content does not contain the postal address itself. */
  postalAddress: string | null;
}

const FOOTER_STYLE = 'padding:16px;font:12px/1.5 Arial,Helvetica,sans-serif;color:#555555;text-align:center';

/**
 * The HTML before `</body>`: what the law requires of marketing email, if the content lacks it, and the tracking
 * pixel.
 */
export function trailerHtml(frame: MailFrame, showsUnsubscribe: boolean): string {
  const lines: string[] = [];
  if (frame.unsubscribeUrl && !showsUnsubscribe) {
    lines.push(`<a href="${escapeHtml(frame.unsubscribeUrl)}" style="color:#555555">Unsubscribe</a>`);
  }
  if (frame.postalAddress) lines.push(escapeHtml(frame.postalAddress).replace(/\r?\n/g, '<br>'));
  const footer = lines.length > 0 ? `<div style="${FOOTER_STYLE}">${lines.join('<br>')}</div>` : '';
  const pixel =
    frame.emailId === null
      ? ''
      : `<img src="${escapeHtml(frame.links.openUrl(frame.emailId, frame.madeAt))}" width="1" height="1" alt="">`;
  return footer + pixel;
}

/** The same for the text part, without a pixel. */
export function trailerText(frame: MailFrame, text: string): string {
  const lines: string[] = [];
  if (frame.unsubscribeUrl && !text.includes(frame.unsubscribeUrl)) lines.push(`Unsubscribe: ${frame.unsubscribeUrl}`);
  if (frame.postalAddress && !text.includes(frame.postalAddress)) lines.push(frame.postalAddress);
  return lines.length > 0 ? `\n\n-- \n${lines.join('\n')}\n` : '';
}

/** The hidden preview text that inboxes show next to the subject; `html` is escaped text. */
export function preheaderHtml(html: string): string {
  return html === '' ? '' : `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${html}</div>`;
}
