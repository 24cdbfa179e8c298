import type { EmailLinks } from './links.ts';
import { escapeHtml } from './template-engine.ts';

/** What the finishing of one recipient's mail needs to know. `emailId` null (a preview): nothing is tracked. */
export interface MailFrame {
  links: EmailLinks;
  emailId: number | null;
  /** Set when the mail must show a way out, i.e. for marketing mail. */
  unsubscribeUrl: string | null;
  /** Set when the content does not show the postal address itself. */
  postalAddress: string | null;
}

const FOOTER_STYLE = 'padding:16px;font:12px/1.5 Arial,Helvetica,sans-serif;color:#555555;text-align:center';

/** What stands before `</body>`: what the law wants of marketing mail, where the content lacks it, and the pixel. */
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
      : `<img src="${escapeHtml(frame.links.openUrl(frame.emailId))}" width="1" height="1" alt="">`;
  return footer + pixel;
}

/** The same for the text part, which has no pixel. */
export function trailerText(frame: MailFrame, text: string): string {
  const lines: string[] = [];
  if (frame.unsubscribeUrl && !text.includes(frame.unsubscribeUrl)) lines.push(`Unsubscribe: ${frame.unsubscribeUrl}`);
  if (frame.postalAddress && !text.includes(frame.postalAddress)) lines.push(frame.postalAddress);
  return lines.length > 0 ? `\n\n-- \n${lines.join('\n')}\n` : '';
}

/** The hidden line that inboxes show beside the subject; `html` is escaped text. */
export function preheaderHtml(html: string): string {
  return html === '' ? '' : `<div style="display:none;max-height:0;overflow:hidden;mso-hide:all">${html}</div>`;
}
