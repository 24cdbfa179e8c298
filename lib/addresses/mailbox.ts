import addressparser from 'nodemailer/lib/addressparser';
import { asciiDomain } from './email.ts';

export interface Mailbox {
  name?: string | null;
  address: string;
}

/**
 * An address for envelope and header: converts an internationalised domain to its ASCII form (RFC 5890), and leaves a
 * non-ASCII local part for SMTPUTF8. Throws RangeError for an address that cannot be used in an SMTP command.
 */
export function wireAddress(address: string): string {
  const trimmed = address.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, at);
  const domain = trimmed.slice(at + 1);
  const ascii = domain.startsWith('[') ? domain : asciiDomain(domain);
  // Quoted local parts may contain blanks and more; real mailboxes do not need them.
  const unsafeLocal = /[\s<>()[\],;:\\"\u0000-\u001f\u007f]/.test(local) || !local.isWellFormed();
  if (at < 1 || unsafeLocal || ascii === '' || /[^\x21-\x7e]|[<>,;]/.test(ascii)) {
    throw new RangeError('not an email address that can be sent to');
  }
  return `${local}@${ascii}`;
}

/**
 * Parses `Name <address>` or a bare address, such as MAIL_FROM. Throws RangeError for anything else, also for several.
 */
export function parseMailbox(text: string): Mailbox {
  const [first, ...more] = addressparser(text, { flatten: true });
  if (!first?.address || more.length > 0) throw new RangeError(`not a mailbox: ${text}`);
  return { name: first.name || null, address: wireAddress(first.address) };
}
