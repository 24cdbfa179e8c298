import addressparser from 'nodemailer/lib/addressparser';
import { asciiDomain } from './email.ts';

export interface Mailbox {
  name?: string | null;
  address: string;
}

/**
 * An address fit for envelope and header: an internationalised domain in its ASCII form (RFC 5890), a local part
 * outside of ASCII left for SMTPUTF8. Throws RangeError for what can not stand in an SMTP command.
 */
export function wireAddress(address: string): string {
  const trimmed = address.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, at);
  const domain = trimmed.slice(at + 1);
  const ascii = domain.startsWith('[') ? domain : asciiDomain(domain);
  // A quoted local part may hold blanks and more; nothing that real mailboxes use needs one.
  const unsafeLocal = /[\s<>()[\],;:\\"\u0000-\u001f\u007f]/.test(local) || !local.isWellFormed();
  if (at < 1 || unsafeLocal || ascii === '' || /[^\x21-\x7e]|[<>,;]/.test(ascii)) {
    throw new RangeError('not an email address that can be sent to');
  }
  return `${local}@${ascii}`;
}

/** Reads `Name <address>` or a bare address, as MAIL_FROM has it. Throws RangeError when it is neither, or more than one. */
export function parseMailbox(text: string): Mailbox {
  const [first, ...more] = addressparser(text, { flatten: true });
  if (!first?.address || more.length > 0) throw new RangeError(`not a mailbox: ${text}`);
  return { name: first.name || null, address: wireAddress(first.address) };
}
