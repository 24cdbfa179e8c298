import { verify, X509Certificate } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { keptText, type DeliveryReport, type Outcome } from '../../../domain/emails/bounces/report.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import {
  emailOf,
  eventKeyOf,
  isNear,
  judged,
  listOf,
  memberOf,
  parseJson,
  textOf,
  timeOf,
  unauthorized,
  type Webhook,
  type WebhookRequest,
} from './request.ts';

/** SNS retries a call for an hour, with its first timestamp. */
const WINDOW_MS = 3_600_000;
const SNS_HOST = /^sns\.[a-z0-9-]+\.amazonaws\.com(\.cn)?$/;
/**
 * The signed fields, in this order:
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html
 */
const SIGNED: Record<string, readonly string[]> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};
const ALGORITHMS: Record<string, string> = { 1: 'sha1', 2: 'sha256' };

type FetchText = WebhookRequest['deps']['fetchText'];
const kept = new WeakMap<FetchText, LRUCache<string, string>>();

/** Parses a URL and verifies that its host is SNS itself: nothing else is ever fetched. */
function snsUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (
    url?.protocol !== 'https:' ||
    url.port !== '' ||
    url.username !== '' ||
    url.password !== '' ||
    !SNS_HOST.test(url.hostname)
  )
    throw unauthorized('The URL is not an Amazon SNS URL');
  return url;
}

async function fetched(fetchText: FetchText, url: URL): Promise<string> {
  try {
    return await fetchText(url);
  } catch (error) {
    throw new AppError('unavailable', 'Amazon SNS cannot be reached', { cause: error });
  }
}

async function certificate(fetchText: FetchText, url: URL): Promise<X509Certificate> {
  const cache = kept.get(fetchText) ?? new LRUCache<string, string>({ max: 20 });
  kept.set(fetchText, cache);
  const pem = cache.get(url.href) ?? (await fetched(fetchText, url));
  try {
    const found = new X509Certificate(pem);
    cache.set(url.href, pem);
    return found;
  } catch (error) {
    throw new AppError('unavailable', 'Amazon SNS returned no valid certificate', { cause: error });
  }
}

async function assertSigned(envelope: unknown, { deps, now }: WebhookRequest): Promise<void> {
  const fields = SIGNED[textOf(envelope, 'Type')];
  const algorithm = ALGORITHMS[textOf(envelope, 'SignatureVersion')];
  if (!fields || !algorithm) throw unauthorized('The body is not an Amazon SNS message');
  if (!isNear(timeOf(textOf(envelope, 'Timestamp'), new Date(0)), now, WINDOW_MS))
    throw unauthorized('The message is too old');
  const url = snsUrl(textOf(envelope, 'SigningCertURL'));
  if (!url.pathname.endsWith('.pem')) throw unauthorized('The URL is not that of a certificate (.pem)');
  const text = fields
    .filter((name) => memberOf(envelope, name) !== undefined)
    .map((name) => `${name}\n${textOf(envelope, name)}\n`)
    .join('');
  const { publicKey } = await certificate(deps.fetchText, url);
  if (!verify(algorithm, Buffer.from(text), publicKey, Buffer.from(textOf(envelope, 'Signature'), 'base64')))
    throw unauthorized('The signature is invalid');
}

/** What a type, or a subtype, says if the server's reply says nothing; null if it is no bounce. */
const TYPES: Readonly<Record<string, Outcome['verdict']>> = {
  MailboxFull: 'mailbox',
  MessageTooLarge: 'content',
  AttachmentRejected: 'content',
  ContentRejected: 'policy',
  Permanent: 'address',
  // Out-of-office replies, which SES takes for bounces.
  Transient: 'none',
};

/** SES reports `Permanent` also for policies, and `Transient` also for domains that do not exist. */
function bounceOf(bounce: unknown, recipient: unknown): Outcome {
  const diagnostic = keptText(textOf(recipient, 'diagnosticCode'));
  const [subtype, type] = [textOf(bounce, 'bounceSubType'), textOf(bounce, 'bounceType')];
  const known = [subtype, type].find((name) => Object.hasOwn(TYPES, name));
  const given = known === undefined ? 'unclear' : TYPES[known]!;
  return {
    ...judged({ status: textOf(recipient, 'status'), text: diagnostic }, given),
    recipients: [textOf(recipient, 'emailAddress')],
    diagnostic,
  };
}

const plain = (verdict: Outcome['verdict'], recipients: string[]): Outcome => ({
  verdict,
  recipients,
  statusCode: null,
  diagnostic: null,
});

/** The outcomes in an event, with its id and time. */
export function outcomesOf(event: unknown): { outcomes: Outcome[]; id: string; time: string } {
  const kind = textOf(event, 'notificationType') || textOf(event, 'eventType');
  const part = memberOf(event, kind.toLowerCase());
  const about = { id: textOf(part, 'feedbackId'), time: textOf(part, 'timestamp') };
  if (kind === 'Bounce')
    return { ...about, outcomes: listOf(part, 'bouncedRecipients').map((recipient) => bounceOf(part, recipient)) };
  if (kind === 'Complaint' && textOf(part, 'complaintFeedbackType') !== 'not-spam') {
    return {
      ...about,
      outcomes: listOf(part, 'complainedRecipients').map((recipient) =>
        plain('complaint', [textOf(recipient, 'emailAddress')]),
      ),
    };
  }
  if (kind === 'Delivery')
    return {
      ...about,
      outcomes: listOf(part, 'recipients').map((recipient) =>
        plain('delivered', typeof recipient === 'string' ? [recipient] : []),
      ),
    };
  return { ...about, outcomes: [] };
}

/** SES identifies the email by its original headers (which must be enabled) or by the envelope sender. */
function reportOf(event: unknown, { deps, now }: WebhookRequest): DeliveryReport[] {
  const messageIds = listOf(event, 'mail', 'headers')
    .filter((header) => textOf(header, 'name').toLowerCase() === 'message-id')
    .map((header) => textOf(header, 'value'));
  const emailId = emailOf(
    deps.links,
    textOf(event, 'mail', 'source'),
    ...messageIds,
    textOf(event, 'mail', 'commonHeaders', 'messageId'),
  );
  const { outcomes, id, time } = outcomesOf(event);
  if (emailId === null || outcomes.length === 0) return [];
  return [{ emailId, source: 'ses', eventKey: eventKeyOf(id, event), at: timeOf(time, now), outcomes }];
}

/**
 * Amazon SES via SNS: signed with a certificate of Amazon. Anyone can create a topic there, so only the configured ones
 * are accepted.
 */
export const ses: Webhook = {
  isConfigured: (env) => env.WEBHOOK_SES_TOPICS !== '',
  async read(request) {
    const { deps, body } = request;
    const envelope = parseJson(body.toString());
    if (
      !deps.env.WEBHOOK_SES_TOPICS.split(',')
        .map((arn) => arn.trim())
        .filter(Boolean)
        .includes(textOf(envelope, 'TopicArn'))
    )
      throw unauthorized('The topic is not one of WEBHOOK_SES_TOPICS');
    await assertSigned(envelope, request);
    const type = textOf(envelope, 'Type');
    if (type === 'SubscriptionConfirmation') await fetched(deps.fetchText, snsUrl(textOf(envelope, 'SubscribeURL')));
    return { reports: type === 'Notification' ? reportOf(parseJson(textOf(envelope, 'Message')), request) : [] };
  },
};
