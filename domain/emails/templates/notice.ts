import type { Language } from '../../../lib/text/languages.ts';

/** The content of an email of the service itself: a few lines and one link, `data.url`. */
export interface Notice {
  language: Language;
  /** The name above and below the text; null if the recipient does not know the service. */
  brand: string | null;
  subject: string;
  heading: string;
  /** Liquid source, used in both HTML and text. */
  lines: readonly string[];
  button: string;
  /** The text before the full link. */
  orOpen: string;
  /** Why the email may be ignored, and how long the link works. */
  closing: string;
}

const PARAGRAPH = 'margin:0 0 16px;font:16px/1.5 Arial,Helvetica,sans-serif;color:#1f1f1f';
const SMALL = 'margin:0 0 8px;font:14px/1.5 Arial,Helvetica,sans-serif;color:#444444';

/** Tables and inline styles, which all email programs render alike. */
export function noticeHtml({ language, brand, subject, heading, lines, button, orOpen, closing }: Notice): string {
  return `<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject}</title></head>
<body style="margin:0;padding:0;background:#f3f4f6">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-radius:8px"><tr><td style="padding:32px 28px">
${brand === null ? '' : `<p style="margin:0 0 24px;font:bold 16px/1.5 Arial,Helvetica,sans-serif;color:#174ea6">${brand}</p>\n`}<h1 style="margin:0 0 16px;font:bold 22px/1.3 Arial,Helvetica,sans-serif;color:#1f1f1f">${heading}</h1>
${lines.map((line) => `<p style="${PARAGRAPH}">${line}</p>`).join('\n')}
<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 24px"><tr><td style="background:#174ea6;border-radius:6px">
<a href="{{ data.url }}" style="display:inline-block;padding:12px 24px;font:bold 16px/1.25 Arial,Helvetica,sans-serif;color:#ffffff;text-decoration:none">${button}</a>
</td></tr></table>
<p style="${SMALL}">${orOpen}<br><a href="{{ data.url }}" style="color:#174ea6;word-break:break-all">{{ data.url }}</a></p>
<p style="${SMALL};margin-bottom:0">${closing}</p>
</td></tr></table>
</td></tr></table>
</body></html>`;
}

export function noticeText({ brand, heading, lines, closing }: Notice): string {
  return `${heading}\n\n${lines.join('\n\n')}\n\n{{ data.url }}\n\n${closing}\n${brand === null ? '' : `\n${brand}\n`}`;
}
