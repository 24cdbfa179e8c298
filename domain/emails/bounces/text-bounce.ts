import { judgeFailure } from './judge-failure.ts';
import { keptText, type Outcome } from './report.ts';

/** The relevant parts of an email: header fields by lower-case name, and its text. */
export interface Letter {
  header: (name: string) => string;
  text: string;
}

const MAX_TEXT = 64 * 1024;
const MAX_LINE = 500;
const RETURNED_COPY =
  /\b(below this line is a copy|this is a copy of|original message|returned message|copy of the message|message header|unsent message)\b/i;
const DAEMON =
  /(^|<)(mailer-?daemon|postmaster|mail-?daemon|mmdf|mail-?delivery-?(sub)?system|delivery-?failure|bounce-?daemon)@|^mailer-daemon$/i;
const DELAY =
  /\bwarning message only\b|\bno action is required\b|\bdo not need to (re)?send\b|\bdelivery attempts will continue\b|\bwill (keep|continue) trying\b|\bstill being retried\b/i;

/** Whether a program or a person replied to the email (RFC 3834, and header fields used before it). */
function isAnswer({ header }: Letter): boolean {
  // Exim's bounces also claim to be automatic replies, but they name the failed recipients.
  if (header('x-failed-recipients') !== '') return false;
  const submitted = header('auto-submitted').toLowerCase();
  return (
    (submitted !== '' && !/^(no|auto-generated)\b/.test(submitted)) ||
    /^(bulk|junk|list|auto_reply)\b/i.test(header('precedence')) ||
    ['x-autoreply', 'x-autorespond', 'x-autoresponder', 'list-id', 'list-unsubscribe'].some(
      (name) => header(name) !== '',
    ) ||
    /^(yes|true|all|1)\b/i.test(header('x-auto-reply'))
  );
}

/** The lines of the mail system itself, without the returned email that follows them. */
function linesSaid(text: string): string[] {
  const lines = text
    .slice(0, MAX_TEXT)
    .split('\n')
    .map((line) => line.slice(0, MAX_LINE).trim());
  const copy = lines.findIndex((line) => line.startsWith('--') && RETURNED_COPY.test(line));
  return copy < 0 ? lines : lines.slice(0, copy);
}

/**
 * The outcome in a report that is plain text, such as those of qmail (QSBMF) and older mail systems: sent by a mail
 * system, not a reply, with a status or reply code. Null for anything else.
 */
export function readTextBounce(letter: Letter): Outcome | null {
  const { header } = letter;
  const fromSystem = /^\s*<\s*>\s*$/.test(header('return-path')) || DAEMON.test(header('from').trim());
  if (!fromSystem || isAnswer(letter) || /\b(delay|delayed|warning)\b/i.test(header('subject'))) return null;
  const said = linesSaid(letter.text).join('\n');
  if (DELAY.test(said)) return null;
  const failure = judgeFailure(null, said);
  if (!failure) return null;
  const line = said.split('\n').find((one) => one.includes(failure.statusCode!));
  return { ...failure, recipients: [], diagnostic: keptText(line) };
}
