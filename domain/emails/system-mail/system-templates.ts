import type { SystemTemplate } from '../templates/keep-system-template.ts';
import { noticeHtml, noticeText, type Notice } from '../templates/notice.ts';
import type { SystemMailKey } from '../../addresses/mail-token.ts';

interface Words extends Pick<Notice, 'subject' | 'heading' | 'lines' | 'button' | 'closing'> {
  name: string;
}

/** These mails go to unverified addresses: print no free text that users typed, other than the inviter's name. */
const TEXTS: Record<SystemMailKey, Words> = {
  reset_password: {
    name: 'Password reset',
    subject: 'Set a new password for Perennial',
    heading: 'Set a new password',
    lines: ['Somebody, we hope you, asked for a new password for the Perennial account with this address.'],
    button: 'Set a new password',
    closing: 'The link works once, for one hour. If you did not ask for it, do nothing: your password stays as it is.',
  },
  verify_email: {
    name: 'Email verification',
    subject: 'Confirm your email address for Perennial',
    heading: 'Confirm your email address',
    lines: ['This address was given for an account at Perennial. Please confirm that it is yours.'],
    button: 'Confirm the address',
    closing: 'The link works once, for 24 hours. If you have no account at Perennial, do nothing.',
  },
  invitation: {
    name: 'Invitation',
    subject: 'You are invited to Perennial',
    heading: 'You are invited to Perennial',
    lines: [
      '{% if data.invitedBy %}{{ data.invitedBy }} invites you{% else %}You are invited{% endif %} to work together in Perennial.',
    ],
    button: 'Accept the invitation',
    closing: 'The link works once, for seven days. If you do not know who invites you, do nothing.',
  },
  confirm_sender: {
    name: 'Sender confirmation',
    subject: 'May Perennial send mail from this address?',
    heading: 'May mail be sent from this address?',
    lines: [
      'The account “{{ data.account }}” of Perennial wants to send mail from {{ data.address }}.',
      'Please allow it only if you know that account: its mail will look like yours.',
    ],
    button: 'See and decide',
    closing:
      'The link works once, for 24 hours. If you do not know the account, do nothing: no mail is sent from your address.',
  },
};

/** The template of a system mail in this release. `data.url` is the link with its token. */
export function systemTemplate(key: SystemMailKey): SystemTemplate {
  const { name, ...words } = TEXTS[key];
  const notice: Notice = { ...words, language: 'en', brand: 'Perennial', orOpen: 'Or open this link:' };
  return { name, subject: words.subject, content: noticeHtml(notice), text: noticeText(notice) };
}
