import { createHash } from 'node:crypto';
import PostalMime, { type Email } from 'postal-mime';
import { emailOfMessageId, emailOfOptOutAddress, emailOfReturnPath } from '../mime/return-path.ts';
import type { LinkSigner } from '../../addresses/tokens.ts';
import { readDeliveryStatus, readFields, type Fields } from './delivery-status.ts';
import type { DeliveryReport, Outcome } from './report.ts';
import { readTextBounce } from './text-bounce.ts';

const LIMITS = { maxNestingDepth: 20, maxHeadersSize: 256 * 1024 };
const MAX_KEY = 255;
const LINE_FEED = 10;
/**
 * A report is in the first lines. The parser needs about 20 µs per line, so that a megabyte of line feeds would take
 * 20 s.
 */
const MAX_LINES = 10_000;
/** Header fields where mail systems record the recipient. */
const RECIPIENT_FIELDS: ReadonlySet<string> = new Set([
  'to',
  'cc',
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'x-delivered-to',
  'apparently-to',
  'received',
]);
const STATUS_TYPES = ['message/delivery-status', 'message/global-delivery-status'];
const RETURNED_TYPES = ['message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers'];

/** A report about one of our emails, without `source` and `at`, which the caller adds. */
export type ParsedReport = Pick<DeliveryReport, 'emailId' | 'eventKey' | 'outcomes'>;

/** What an email that arrived says: at most one of both. */
export interface Arrived {
  report: ParsedReport | null;
  /** Its sender wants no more email like this one. */
  optOut: Pick<DeliveryReport, 'emailId' | 'eventKey'> | null;
}
const NOTHING: Arrived = { report: null, optOut: null };

function partOf(mail: Email, types: readonly string[]): string | null {
  const part = mail.attachments.find(({ mimeType }) => types.includes(mimeType));
  return part ? Buffer.from(part.content as ArrayBuffer).toString('utf8') : null;
}

/** Header fields of the returned email in a report. */
function returnedHeader(mail: Email): Fields {
  return readFields(partOf(mail, RETURNED_TYPES)?.trimStart() ?? '')[0]!;
}

const recipientsOf = (mail: Email): string =>
  mail.headers
    .filter(({ key }) => RECIPIENT_FIELDS.has(key))
    .map(({ value }) => value)
    .join('\n');

/** The email that a report is about: by the address that the report was sent to, else by the returned email. */
function emailOf(mail: Email, extra: readonly string[], signer: LinkSigner): number | null {
  const addressed = recipientsOf(mail);
  const returned = returnedHeader(mail);
  return (
    emailOfReturnPath(addressed, signer) ??
    emailOfReturnPath([returned.get('return-path') ?? '', ...extra].join('\n'), signer) ??
    emailOfMessageId(returned.get('message-id') ?? '', signer)
  );
}

/** A complaint in a feedback report (RFC 5965), and the return path that it states for the email. */
function readFeedback(text: string): { outcome: Outcome; mailFrom: string } | null {
  const [fields] = readFields(text.trim());
  if (!/^abuse\b/i.test(fields!.get('feedback-type') ?? '')) return null;
  const recipients = [fields!.get('original-rcpt-to') ?? '']
    .map((one) => one.replace(/[<>]/g, '').trim())
    .filter(Boolean);
  return {
    outcome: { verdict: 'complaint', recipients, statusCode: null, diagnostic: null },
    mailFrom: fields!.get('original-mail-from') ?? '',
  };
}

function judge(mail: Email, signer: LinkSigner): { emailId: number; outcomes: Outcome[] } | null {
  const withEmail = (outcomes: Outcome[], extra: readonly string[] = []) => {
    const emailId = outcomes.length > 0 ? emailOf(mail, extra, signer) : null;
    return emailId === null ? null : { emailId, outcomes };
  };
  const status = partOf(mail, STATUS_TYPES);
  if (status !== null) return withEmail(readDeliveryStatus(status));
  const feedback = partOf(mail, ['message/feedback-report']);
  if (feedback !== null) {
    const found = readFeedback(feedback);
    return found && withEmail([found.outcome], [found.mailFrom]);
  }
  // Ignore disposition notifications (RFC 8098), which the recipient's program sends, and our own emails that come
  // back whole.
  if (
    partOf(mail, ['message/disposition-notification']) !== null ||
    emailOfMessageId(mail.messageId ?? '', signer) !== null
  )
    return null;
  const header = (name: string): string => mail.headers.find(({ key }) => key === name)?.value ?? '';
  const outcome = readTextBounce({ header, text: mail.text ?? '', hasReturned: returnedHeader(mail).size > 0 });
  return outcome && withEmail([outcome]);
}

function firstLines(source: Uint8Array): Uint8Array {
  let end = -1;
  for (let lines = 0; lines < MAX_LINES; lines += 1) {
    end = source.indexOf(LINE_FEED, end + 1);
    if (end < 0) return source;
  }
  return source.subarray(0, end + 1);
}

/** The report in an email that arrived; see `readArrived`. */
export const parseReport = async (source: Uint8Array, signer: LinkSigner): Promise<ParsedReport | null> =>
  (await readArrived(source, signer)).report;

/**
 * Reads an email that arrived at BOUNCE_ADDRESS. At the return path of one of our emails: a delivery report (RFC 3464,
 * 6533), a feedback report (RFC 5965), or a mail system's text that says why. Any other email to the address of its
 * List-Unsubscribe is an opt-out. Neither if it cannot be attributed to an email of ours. The end of the email may be
 * missing. Never throws.
 */
export async function readArrived(source: Uint8Array, signer: LinkSigner): Promise<Arrived> {
  try {
    const mail = await PostalMime.parse(firstLines(source), { ...LIMITS, forceRfc822Attachments: true });
    const judged = judge(mail, signer);
    const optedOut = judged ? null : emailOfOptOutAddress(recipientsOf(mail), signer);
    if (!judged && optedOut === null) return NOTHING;
    const messageId = mail.messageId?.trim() ?? '';
    const eventKey =
      /^[\x21-\x7e]+$/.test(messageId) && messageId.length <= MAX_KEY
        ? messageId
        : createHash('sha256').update(source).digest('base64url');
    return judged
      ? { report: { ...judged, eventKey }, optOut: null }
      : { report: null, optOut: { emailId: optedOut!, eventKey } };
  } catch {
    // Unreadable emails are ignored: anybody can send any number of them.
    return NOTHING;
  }
}
