import type { SystemTemplate } from '../templates/keep-system-template.ts';
import { noticeHtml, noticeText, type Notice } from '../templates/notice.ts';
import type { SystemMailKey } from '../../addresses/mail-token.ts';

interface Words extends Pick<Notice, 'subject' | 'heading' | 'lines' | 'button' | 'closing'> {
  name: string;
}

/** These emails go to unverified addresses: do not include free text that users typed, except the inviter's name. */
const TEXTS: Record<SystemMailKey, Words> = {
  reset_password: {
    name: 'Password reset',
    subject: 'Set a new password for Perennial',
    heading: 'Set a new password',
    lines: ['Someone, hopefully you, requested a new password for the Perennial account with this address.'],
    button: 'Set a new password',
    closing:
      'The link works once, within one hour. If you did not request it, ignore this email: your password stays unchanged.',
  },
  verify_email: {
    name: 'Email verification',
    subject: 'Confirm your email address for Perennial',
    heading: 'Confirm your email address',
    lines: ['This address was entered for a Perennial account. Please confirm that it is yours.'],
    button: 'Confirm the address',
    closing: 'The link works once, within 24 hours. If you have no Perennial account, ignore this email.',
  },
  invitation: {
    name: 'Invitation',
    subject: 'You are invited to Perennial',
    heading: 'You are invited to Perennial',
    lines: [
      '{% if data.invitedBy %}{{ data.invitedBy }} invites you{% else %}You are invited{% endif %} to work together in Perennial.',
    ],
    button: 'Accept the invitation',
    closing: 'The link works once, within seven days. If you do not know who invited you, ignore this email.',
  },
  confirm_sender: {
    name: 'Sender confirmation',
    subject: 'Allow Perennial to send emails from this address?',
    heading: 'Allow emails to be sent from this address?',
    lines: [
      'The Perennial account “{{ data.account }}” wants to send emails from {{ data.address }}.',
      'Allow this only if you know that account: its emails will look like yours.',
    ],
    button: 'Review the request',
    closing:
      'The link works once, within 24 hours. If you do not know the account, ignore this email: no emails are sent from your address.',
  },
};

/** The template of a system mail in this release. `data.url` is the link with its token. */
export function systemTemplate(key: SystemMailKey): SystemTemplate {
  const { name, ...words } = TEXTS[key];
  const notice: Notice = { ...words, language: 'en', brand: 'Perennial', orOpen: 'Or open this link:' };
  return { name, subject: words.subject, content: noticeHtml(notice), text: noticeText(notice) };
}
