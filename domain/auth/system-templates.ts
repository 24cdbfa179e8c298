import type { SystemMailKey } from './mail-token.ts';

export interface SystemTemplate {
  name: string;
  subject: string;
  content: string;
  text: string;
}

interface Words {
  name: string;
  subject: string;
  heading: string;
  /** Liquid, as it stands in HTML and in text. */
  lines: string[];
  button: string;
  /** Why it may be ignored, and until when the link works. */
  closing: string;
}

/** Nothing here prints what a stranger could have typed at registration: these mails go to addresses that nobody has proved yet. */
const WORDS: Record<SystemMailKey, Words> = {
  reset_password: {
    name: 'Password reset', subject: 'Set a new password for Perennial', heading: 'Set a new password',
    lines: ['Somebody, we hope you, asked for a new password for the Perennial account with this address.'],
    button: 'Set a new password',
    closing: 'The link works once, for one hour. If you did not ask for it, do nothing: your password stays as it is.',
  },
  verify_email: {
    name: 'Email verification', subject: 'Confirm your email address for Perennial', heading: 'Confirm your email address',
    lines: ['This address was given for an account at Perennial. Please confirm that it is yours.'],
    button: 'Confirm the address',
    closing: 'The link works once, for 24 hours. If you have no account at Perennial, do nothing.',
  },
  invitation: {
    name: 'Invitation', subject: 'You are invited to Perennial', heading: 'You are invited to Perennial',
    lines: ['{% if data.invitedBy %}{{ data.invitedBy }} invites you{% else %}You are invited{% endif %} to work together in Perennial.'],
    button: 'Accept the invitation',
    closing: 'The link works once, for seven days. If you do not know who invites you, do nothing.',
  },
};

const PARAGRAPH = 'margin:0 0 16px;font:16px/1.5 Arial,Helvetica,sans-serif;color:#1f1f1f';
const SMALL = 'margin:0 0 8px;font:14px/1.5 Arial,Helvetica,sans-serif;color:#444444';

/** Tables and inline styles: what every mail program shows alike. */
function htmlOf({ subject, heading, lines, button, closing }: Words): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${subject}</title></head>
<body style="margin:0;padding:0;background:#f3f4f6">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f4f6"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:560px;background:#ffffff;border-radius:8px"><tr><td style="padding:32px 28px">
<p style="margin:0 0 24px;font:bold 16px/1.5 Arial,Helvetica,sans-serif;color:#174ea6">Perennial</p>
<h1 style="margin:0 0 16px;font:bold 22px/1.3 Arial,Helvetica,sans-serif;color:#1f1f1f">${heading}</h1>
${lines.map((line) => `<p style="${PARAGRAPH}">${line}</p>`).join('\n')}
<table role="presentation" cellpadding="0" cellspacing="0" style="margin:8px 0 24px"><tr><td style="background:#174ea6;border-radius:6px">
<a href="{{ data.url }}" style="display:inline-block;padding:12px 24px;font:bold 16px/1.25 Arial,Helvetica,sans-serif;color:#ffffff;text-decoration:none">${button}</a>
</td></tr></table>
<p style="${SMALL}">Or open this link:<br><a href="{{ data.url }}" style="color:#174ea6;word-break:break-all">{{ data.url }}</a></p>
<p style="${SMALL};margin-bottom:0">${closing}</p>
</td></tr></table>
</td></tr></table>
</body></html>`;
}

function textOf({ heading, lines, closing }: Words): string {
  return `${heading}\n\n${lines.join('\n\n')}\n\n{{ data.url }}\n\n${closing}\n\nPerennial\n`;
}

/** What this release says in a system mail. `data.url` is the link with its token. */
export function systemTemplate(key: SystemMailKey): SystemTemplate {
  const words = WORDS[key];
  return { name: words.name, subject: words.subject, content: htmlOf(words), text: textOf(words) };
}
