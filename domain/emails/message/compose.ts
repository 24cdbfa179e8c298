import type { RenderedEmail } from '../rendering/render.ts';
import { attachmentPart, type Attachment } from '../mime/attachment.ts';
import { headerField, headerText, mailboxField, quotedPrintable } from '../mime/mime.ts';
import type { LinkSigner } from '../../addresses/tokens.ts';
import { wireAddress, type Mailbox } from '../../../lib/addresses/mailbox.ts';

/** Postmark returns it in its webhooks, as the key `email` of `Metadata`. */
const METADATA_HEADER = 'X-PM-Metadata-email';

/** Asks for no out-of-office and other automatic replies: they would only reach the bounce mailbox. */
const NO_AUTO_REPLIES = 'X-Auto-Response-Suppress: OOF, AutoReply\r\n';

/** What all emails of one template version share. */
export interface ComposerOptions {
  from: Mailbox;
  replyTo?: Mailbox | null;
  /** Parts of bodies that occur in many emails; they are encoded once. */
  staticChunks?: ReadonlySet<string>;
}

export interface MessageInput {
  messageId: string;
  to: Mailbox;
  date: Date;
  rendered: Pick<RenderedEmail, 'subject' | 'htmlChunks' | 'textChunks' | 'unsubscribeUrl'>;
  /** Where answers go, instead of what all emails of the template have. */
  replyTo?: Mailbox | undefined;
  /** The address for bounces; the From address if absent. */
  returnPath?: string;
  /** Identifies the email in a provider's webhooks if the provider replaces the Message-ID. */
  metadata?: string;
  attachment?: Attachment | undefined;
  /** If the email has an unsubscribe link: an address that unsubscribes too, and what Gmail's reports are grouped by. */
  optOutAddress?: string;
  feedbackId?: string;
}

/** A message ready for DATA (without dot-stuffing), and its envelope. */
export interface ComposedMessage {
  envelope: { from: string; to: string };
  messageId: string;
  message: Buffer;
}

export type Composer = (input: MessageInput) => ComposedMessage;

/**
 * The Message-ID of an email, the same at every attempt. Its left side proves the email's id, verifiable with the
 * signer.
 */
export function messageIdFor(emailId: number, fromAddress: string, signer: LinkSigner): string {
  return `<${signer.emailToken('message', emailId)}@${wireAddress(fromAddress).split('@').pop()}>`;
}

/**
 * Creates a composer of RFC 5322 messages: multipart/alternative, within multipart/mixed if there is an attachment, UTF-8,
 * quoted-printable, with the one-click headers of RFC 8058, and the one against automatic replies, if the email has an unsubscribe link. Parts shared by many emails are encoded once. The composer throws
 * RangeError for an address that cannot be sent to.
 */
export function createComposer({ from, replyTo, staticChunks = new Set() }: ComposerOptions): Composer {
  const fromAddress = wireAddress(from.address);
  const sender = mailboxField('From', from);
  const answers = replyTo ? mailboxField('Reply-To', replyTo) : '';
  // In quoted-printable, '=' is always followed by two hex digits or a line end, so no body can contain this.
  const boundary = '=_perennial_alternative';
  const partHead = (before: string, type: string): Buffer =>
    Buffer.from(
      `${before}--${boundary}\r\nContent-Type: text/${type}; charset=utf-8\r\n` +
        'Content-Transfer-Encoding: quoted-printable\r\n\r\n',
    );
  const plainHead = partHead('', 'plain');
  const htmlHead = partHead('\r\n', 'html');
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const mimeHead = 'MIME-Version: 1.0\r\n';
  const alternativeHead = `Content-Type: multipart/alternative; boundary="${boundary}"\r\n\r\n`;
  const mixed = '=_perennial_mixed';
  const mixedHead = `Content-Type: multipart/mixed; boundary="${mixed}"\r\n\r\n--${mixed}\r\n`;

  const encodedStatic = new Map<string, Buffer>();
  const pushBody = (pieces: Buffer[], chunks: readonly string[]): void => {
    for (const chunk of chunks) {
      let piece = encodedStatic.get(chunk);
      if (piece === undefined) {
        piece = Buffer.from(quotedPrintable(chunk), 'latin1');
        if (staticChunks.has(chunk)) encodedStatic.set(chunk, piece);
      }
      pieces.push(piece);
    }
  };

  let lastSubject = { text: '', field: headerField('Subject', '') };
  const subjectField = (text: string): string => {
    if (lastSubject.text !== text) lastSubject = { text, field: headerField('Subject', headerText(text)) };
    return lastSubject.field;
  };

  return ({
    messageId,
    to,
    date,
    rendered,
    replyTo: ownReplyTo,
    returnPath,
    metadata,
    attachment,
    optOutAddress,
    feedbackId,
  }) => {
    const optOut = rendered.unsubscribeUrl
      ? `List-Unsubscribe: <${rendered.unsubscribeUrl}>${optOutAddress === undefined ? '' : `,\r\n <mailto:${optOutAddress}?subject=unsubscribe>`}\r\n` +
        `List-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n${NO_AUTO_REPLIES}` +
        (feedbackId === undefined ? '' : `Feedback-ID: ${feedbackId}\r\n`)
      : '';
    const head =
      sender +
      (ownReplyTo ? mailboxField('Reply-To', ownReplyTo) : answers) +
      mailboxField('To', to) +
      subjectField(rendered.subject) +
      `Date: ${date.toUTCString().replace('GMT', '+0000')}\r\nMessage-ID: ${messageId}\r\n` +
      optOut +
      (metadata === undefined ? '' : `${METADATA_HEADER}: ${metadata}\r\n`) +
      mimeHead +
      (attachment ? mixedHead : '') +
      alternativeHead;
    const pieces = [Buffer.from(head), plainHead];
    pushBody(pieces, rendered.textChunks);
    pieces.push(htmlHead);
    pushBody(pieces, rendered.htmlChunks);
    pieces.push(end);
    if (attachment)
      pieces.push(Buffer.from(`--${mixed}\r\n`), attachmentPart(attachment), Buffer.from(`\r\n--${mixed}--\r\n`));
    const message = Buffer.concat(pieces);
    const envelope = {
      from: returnPath === undefined ? fromAddress : wireAddress(returnPath),
      to: wireAddress(to.address),
    };
    return { envelope, messageId, message };
  };
}
