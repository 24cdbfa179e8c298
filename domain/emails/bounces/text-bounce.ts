import { judgeFailure } from './judge-failure.ts';
import { keptText, type Outcome } from './report.ts';

/** The relevant parts of an email: header fields by lower-case name, its text, and whether an email is attached. */
export interface Letter {
  header: (name: string) => string;
  text: string;
  hasReturned: boolean;
}

const MAX_TEXT = 64 * 1024;
const MAX_LINE = 500;
const RETURNED_COPY =
  /\b(below this line is a copy|this is a copy of|original message|returned message|copy of the message|message header|unsent message)\b/i;
const DAEMON =
  /(^|<)(mailer-?daemon|postmaster|mail-?daemon|mmdf|mail-?delivery-?(sub)?system|delivery-?failure|bounce-?daemon)@|^mailer-daemon$/i;
const DELAY =
  /\bwarning message only\b|\bno action is required\b|\bdo not need to (re)?send\b|\bdelivery attempts will continue\b|\bwill (keep|continue) trying\b|\bstill being retried\b|\bnoch nicht zugestellt\b|\bzustellversuche werden fortgesetzt\b|\bpas encore\b|\btodavía no\b|再送/i;
const DELAY_SUBJECT = /\b(delay|delayed|warning|warnung|verzögert|retardé|retrasado)\b/i;
/** A header field of an email that is quoted or returned. */
const OUR_FIELD = /^[\s>]*(to|message-id|return-path)\s*:\s*\S/im;
/** A line that names the recipient, as mail systems put it before the reason, which may follow in the same line. */
const RECIPIENT = /^<?[^\s<>@:]+@[^\s<>@:]+>?(:|$| on )/;
/** A line where a mail system repeats a reply: `550 5.1.1 …`, `<<< 550 …`, `(reason: 550 …`, `… said: 550 …`. */
const REPLY = /^(<<< ?|\(reason: ?|smtp; ?|.{0,80}\bsaid: ?)?[45][0-5]\d[ -]\S/i;
/** A status as qmail and Exchange put it, at the end of a line. */
const STATUS = /#[45]\.\d\.\d{1,3}[)>]?\.?$/;
const LONGEST_REASON = 8;

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
  const lines = text.split('\n').map((line) => line.slice(0, MAX_LINE).trim());
  const copy = lines.findIndex((line) => line.startsWith('--') && RETURNED_COPY.test(line));
  return copy < 0 ? lines : lines.slice(0, copy);
}

/** The lines where mail systems put the reason: below the recipient up to an empty line, else the first reply. */
function reasonIn(said: readonly string[]): string[] {
  const recipient = said.findIndex((line) => RECIPIENT.test(line));
  if (recipient >= 0) {
    const below = said.slice(recipient, recipient + LONGEST_REASON);
    const end = below.indexOf('');
    return end < 0 ? below : below.slice(0, end);
  }
  const reply = said.findIndex((line) => REPLY.test(line) || STATUS.test(line));
  return reply < 0 ? [] : said.slice(reply, reply + 1);
}

/**
 * The outcome in a report that is plain text, such as those of qmail (QSBMF), Exim and older mail systems. It must come
 * from a mail system, quote or return our email, and say why where such systems say it: people and programs that answer
 * an email also write numbers like 550 and 5.1.1. Null for anything else.
 */
export function readTextBounce(letter: Letter): Outcome | null {
  const { header, hasReturned } = letter;
  const text = letter.text.slice(0, MAX_TEXT);
  const fromSystem = DAEMON.test(header('from').trim()) || header('x-failed-recipients') !== '';
  if (!fromSystem || isAnswer(letter) || DELAY_SUBJECT.test(header('subject'))) return null;
  if (!hasReturned && !OUR_FIELD.test(text)) return null;
  const said = linesSaid(text);
  if (DELAY.test(said.join('\n'))) return null;
  const reason = reasonIn(said);
  const failure = judgeFailure({ text: reason.join('\n') });
  if (!failure) return null;
  const line = reason.find((one) => failure.statusCode !== null && one.includes(failure.statusCode)) ?? reason.at(-1);
  return { ...failure, recipients: [], diagnostic: keptText(line) };
}
