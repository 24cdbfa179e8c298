import { judgeFailure } from './judge-failure.ts';
import { keptText, type Outcome } from './report.ts';

/** A mail as far as it matters here: header fields by name in small letters, and its text. */
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

/** Whether a program or a person answered the mail (RFC 3834, and the fields that were there before it). */
function isAnswer({ header }: Letter): boolean {
  // Exim says both: that it answers by itself, and whom it could not reach.
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

/** What the mail system itself says: after that comes the mail that came back, and what that says does not count. */
function linesSaid(text: string): string[] {
  const lines = text
    .slice(0, MAX_TEXT)
    .split('\n')
    .map((line) => line.slice(0, MAX_LINE).trim());
  const copy = lines.findIndex((line) => line.startsWith('--') && RETURNED_COPY.test(line));
  return copy < 0 ? lines : lines.slice(0, copy);
}

/**
 * What a report says that is text alone, as qmail's (QSBMF) and older ones of other systems are: it is from a mail system,
 * answers nothing, and holds a status or a reply code. Null for anything else.
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
