import { encodeWord, foldLines, isPlainText, quoteString } from 'nodemailer/lib/mime-funcs';
import { encode, wrap } from 'nodemailer/lib/qp';
import { wireAddress, type Mailbox } from '../../../lib/addresses/mailbox.ts';

const WORD_CHARS = 52;
const LINE_CHARS = 76;
/** Longer runs without a blank are encoded, so that folding never leaves a line empty or too long. */
const MAX_PLAIN_CHARS = 60;
const TOO_LONG_A_RUN = new RegExp(`\\S{${MAX_PLAIN_CHARS}}`);

/** One line of well-formed text: control characters, line separators and the blanks around them become one blank. */
export function oneLine(text: string): string {
  const parts = text.toWellFormed().split(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/);
  return parts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join(' ');
}

/** RFC 2047 encoded words; B if most of the text would have to be escaped, else Q. */
function encodedWords(text: string): string {
  const plain = text.match(/[ -~]/g)?.length ?? 0;
  return encodeWord(text, plain * 3 > text.length * 2 ? 'Q' : 'B', WORD_CHARS);
}

/** Header text as sent: unchanged if that is safe, else as encoded words. */
export function headerText(text: string): string {
  const line = oneLine(text);
  const asIs = /^[ -~]*$/.test(line) && !line.includes('=?') && !TOO_LONG_A_RUN.test(line);
  return asIs ? line : encodedWords(line);
}

/** `name: value`, folded at blanks into lines of at most 76 characters where possible, ended by CRLF. */
export function headerField(name: string, value: string): string {
  return `${foldLines(`${name}: ${value}`, LINE_CHARS)}\r\n`;
}

/** A From, To or Reply-To field (RFC 5322 section 3.4). Throws RangeError like wireAddress. */
export function mailboxField(field: string, { name, address }: Mailbox): string {
  const wire = wireAddress(address);
  const line = oneLine(name ?? '');
  if (line === '') return `${field}: ${wire}\r\n`;
  const short = line.length <= MAX_PLAIN_CHARS && isPlainText(line) && !line.includes('=?');
  if (!short) return headerField(field, `${encodedWords(line)} <${wire}>`);
  // Never fold inside the quotes, because not every reader unfolds there.
  const start = `${field}: ${/^[\w ]*$/.test(line) ? line : quoteString(line)}`;
  return `${start}${start.length + wire.length > LINE_CHARS ? '\r\n' : ''} <${wire}>\r\n`;
}

/**
 * Quoted-printable (RFC 2045 section 6.7) of a part of a body. The result ends with a line break, a soft one if the
 * text has none, so that encoded parts can be concatenated; lines have at most 76 characters.
 */
export function quotedPrintable(text: string): string {
  if (text === '') return '';
  // Fast path: most names and ids need no encoding.
  if (text.length < LINE_CHARS && /^[!-<>-~](?:[ -<>-~]*[!-<>-~])?$/.test(text)) return `${text}=\r\n`;
  const encoded = wrap(encode(text.toWellFormed().replace(/\r\n?|\n/g, '\r\n')), LINE_CHARS - 1);
  return encoded.endsWith('\n') ? encoded : `${encoded}=\r\n`;
}
