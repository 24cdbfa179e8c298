import type { Logger } from '../../config/logger.ts';
import { heldUntil } from '../../domain/delivery/gates/hours.ts';
import { wireAddress, type Mailbox } from '../../lib/addresses/mailbox.ts';
import { mailLink, type MailToken, type SystemMailKey } from '../../domain/addresses/mail-token.ts';
import type { Attachment } from '../../domain/emails/mime/attachment.ts';
import type { ComposedMessage } from '../../domain/emails/message/compose.ts';
import { messageIdFor } from '../../domain/emails/message/compose.ts';
import { recipientName } from '../../domain/emails/rendering/template-contact.ts';
import type { EmailLane } from '../../db/entities/emails.ts';
import type { LeasedEmail } from '../../domain/emails/ledger/lease-emails.ts';
import { NOTIFICATION_KEY } from '../../domain/emails/system-mail/notification-template.ts';
import { isOptInKey } from '../../domain/choices/subscription/opt-in-mail.ts';
import { optInLink } from '../../domain/choices/subscription/opt-in-token.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { writeEmail, type EmailToWrite, type Written } from '../../domain/emails/message/write-email.ts';
import type { RecipientContext } from '../../domain/emails/rendering/render.ts';
import { accounts } from '../../domain/threads/in-thread.ts';
import type { SenderAddress, SenderIdentity } from '../../domain/emails/senders/sender-cache.ts';
import { signMessage } from '../../domain/emails/senders/sign.ts';
import type { RenderedRow } from '../../domain/emails/ledger/start-emails.ts';
import { optOutAddressOf, returnPathOf } from '../../domain/emails/mime/return-path.ts';
import type { LoadAttachment } from './attachments.ts';
import type { ContentVersion, PreparedTemplate } from '../../domain/emails/message/template-cache.ts';
import type { LinkSigner } from '../../domain/addresses/tokens.ts';

/** The maximum of the ledger's column. */
const MAX_LINKS = 32_767;
/** When an email is tried again whose file could not be loaded. */
const ATTACH_LATER_MS = 10_000;

/** A rendered email. Without a message it can only end (by a gate or its failure) or wait for the send window. */
export interface Prepared {
  row: RenderedRow;
  composed: ComposedMessage | null;
}

export interface Tools {
  template: (version: ContentVersion) => PreparedTemplate;
  sender: (address: SenderAddress) => SenderIdentity | null;
  signer: LinkSigner;
  publicUrl: string;
  /** BOUNCE_ADDRESS; empty = bounces go to the From address. */
  bounceAddress: string;
  /** Whether BOUNCE_IMAP_URL is read, so that what comes to a variant of `bounceAddress` has an effect. */
  readsMailbox: boolean;
  /** Whether emails carry metadata headers that Postmark returns in its webhooks. */
  withMetadata: boolean;
  attachment: LoadAttachment;
  log: Logger;
}

/**
 * The recipient data of a leased email. An email of the service itself is not tracked (like a preview): its link
 * contains a secret token, which is created only here, during rendering, and is never stored.
 */
function recipientOf(
  { id, tenantId, contactId, contact, data, systemKey }: LeasedEmail,
  address: string,
  { signer, publicUrl }: Tools,
): RecipientContext {
  const recipient = { tenantId, emailId: id, contactId, address, contact, data };
  if (systemKey === null) return recipient;
  if (systemKey === NOTIFICATION_KEY) return { ...recipient, emailId: null };
  const url = isOptInKey(systemKey)
    ? optInLink(signer, publicUrl, tenantId, data?.['optInId'] as number, address)
    : mailLink(signer, publicUrl, systemKey as SystemMailKey, tenantId, data?.['token'] as MailToken);
  return { ...recipient, emailId: null, data: { ...data, url } };
}

/** Null for opt-in emails: the name was typed by whoever filled in the form, so it must not appear in the email. */
const nameOf = ({ systemKey, contact }: LeasedEmail): string | null =>
  systemKey !== null && isOptInKey(systemKey) ? null : recipientName(contact);

/**
 * The sender identity of an email. Account emails of the service (but not opt-in emails) always show the service as the
 * sender; if the tenant has a sender identity for MAIL_FROM, its DKIM key only signs them.
 */
function senderOf({ systemKey }: LeasedEmail, sender: SenderIdentity | null): SenderIdentity | null {
  return sender === null || systemKey === null || isOptInKey(systemKey)
    ? sender
    : { ...sender, name: null, replyTo: null };
}

/**
 * Notifications name who is to be answered, if the address is ASCII, as a server without SMTPUTF8 (RFC 6531) needs:
 * whatever a visitor types, the email must arrive. Its text has the address.
 */
function answersTo({ systemKey, data }: LeasedEmail): Mailbox | undefined {
  const address = systemKey === NOTIFICATION_KEY ? data?.['replyTo'] : undefined;
  if (typeof address !== 'string' || /[^\x21-\x7e]/.test(wireAddress(address))) return undefined;
  return { address };
}

/** The file of an email about a report; only the service itself names one. */
async function attachmentOf(
  { tenantId, systemKey, data }: LeasedEmail,
  { attachment }: Tools,
): Promise<Attachment | 'gone' | 'later' | undefined> {
  const runId = systemKey === NOTIFICATION_KEY ? data?.['reportRunId'] : undefined;
  return typeof runId === 'number' ? attachment(tenantId, runId) : undefined;
}

/** Until when the email must be held, or `expired`; null if it may be sent now. */
export function held({ hours, heldSince, contact }: LeasedEmail, now: Date = new Date()): Date | 'expired' | null {
  if (!hours) return null;
  const timezone = typeof contact?.['timezone'] === 'string' ? contact['timezone'] : null;
  return heldUntil({ ...hours, channel: 'email', timezone, number: null }, heldSince, now);
}

const KINDS: Record<EmailLane, string> = { bulk: 'campaign', journey: 'journey', transactional: 'single' };

/** By campaign, account and kind of email, and by us, as Gmail's feedback loop has it. */
const feedbackIdOf = ({ campaignId, templateId, tenantId, lane }: LeasedEmail): string =>
  `${campaignId ?? `template-${templateId}`}:${tenantId}:${KINDS[lane]}:perennial`;

/** A leased email that is to be written. */
export interface ToWrite {
  row: RenderedRow;
  template: PreparedTemplate;
  templateId: number;
  /** The template is of the service itself. */
  isSystem: boolean;
  sender: SenderIdentity | null;
  email: EmailToWrite;
}

/** What is to be done with a leased email: it is written, or ends without a message. */
export async function outline(email: LeasedEmail, tools: Tools): Promise<ToWrite | Prepared> {
  const { id, tenantId, batchId, templateId, contentVersion, contactId, address, attempt } = email;
  const row: RenderedRow = {
    id,
    tenantId,
    batchId,
    campaignId: email.campaignId,
    address,
    contentVersion,
    attempt,
    linkCount: null,
    fromKey: null,
    contactVersion: email.contactVersion,
    isBareAddress: contactId === null,
    cappedContactId: email.isCapped ? contactId : null,
  };
  // Its template or contact was deleted; the gates give the reason.
  if (contentVersion === null || address === null) return { row: { ...row, failure: 'not_rendered' }, composed: null };
  const until = held(email);
  if (until)
    return { row: { ...row, ...(until === 'expired' ? { expired: true } : { notBefore: until }) }, composed: null };
  const attachment = await attachmentOf(email, tools);
  if (attachment === 'gone') return { row: { ...row, failure: 'attachment_gone' }, composed: null };
  if (attachment === 'later')
    return { row: { ...row, notBefore: new Date(Date.now() + ATTACH_LATER_MS) }, composed: null };
  const template = tools.template({ tenantId, templateId, contentVersion });
  row.fromKey = template.ownFromKey;
  const sender = senderOf(email, tools.sender({ tenantId, emailKey: template.fromKey }));
  const words = sender && { revision: sender.revision, name: sender.name, replyTo: sender.replyTo };
  try {
    const message = {
      messageId: messageIdFor(id, template.fromAddress, tools.signer),
      to: { name: nameOf(email), address },
      date: new Date(),
      replyTo: answersTo(email),
      attachment,
      ...(tools.bounceAddress ? { returnPath: returnPathOf(id, tools.bounceAddress, tools.signer) } : {}),
      ...(tools.bounceAddress && tools.readsMailbox
        ? { optOutAddress: optOutAddressOf(id, tools.bounceAddress, tools.signer) }
        : {}),
      feedbackId: feedbackIdOf(email),
      ...(tools.withMetadata ? { metadata: tools.signer.bounceToken(id) } : {}),
    };
    const toWrite = { sender: words, recipient: recipientOf(email, address, tools), message };
    return { row, template, templateId, isSystem: email.systemKey !== null, sender, email: toWrite };
  } catch (error) {
    return failed({ row, templateId }, error, tools.log);
  }
}

/**
 * Writes it on this event loop, if it may be. Null if it must be written in a thread. Throws what `writeEmail` throws.
 */
export function writeOnLoop({ template, isSystem, email }: ToWrite): Written | null {
  // Templates of the service itself are no text of a user.
  if (isSystem) return writeEmail(template, email);
  const { permit, row } = template;
  const limits = permit.limits(Boolean(email.recipient.data));
  if (!limits) return null;
  try {
    return accounts.short(row.tenantId, () => writeEmail(template, email, limits));
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'template_limit') throw error;
    permit.overran();
    return null;
  }
}

/** Signs what was written. Never rejects: what is wrong with the email becomes its `failure`. */
export async function finish({ row, sender, templateId }: ToWrite, written: Written, log: Logger): Promise<Prepared> {
  if ('failure' in written) return failed({ row, templateId }, written, log);
  const { linkCount, ...composed } = written;
  try {
    const message = sender?.signer ? await signMessage(composed.message, sender.signer) : composed.message;
    return { row: { ...row, linkCount: Math.min(linkCount, MAX_LINKS) }, composed: { ...composed, message } };
  } catch (error) {
    return failed({ row, templateId }, error, log);
  }
}

/** The email cannot be sent, because of this error or for this reason. */
export function failed(
  { row, templateId }: Pick<ToWrite, 'row' | 'templateId'>,
  error: unknown,
  log: Logger,
): Prepared {
  const failure = reasonOf(error);
  log.warn({ err: error, emailId: row.id, templateId, failure }, 'email cannot be sent');
  return { row: { ...row, failure }, composed: null };
}

function reasonOf(error: unknown): string {
  if (error instanceof RangeError) return 'address_invalid';
  if (error instanceof AppError) return error.code === 'template_limit' ? 'template_limit' : 'template_failed';
  return (error as { failure?: string }).failure ?? 'template_failed';
}
