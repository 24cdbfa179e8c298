import { keptText, type Outcome } from '../../../domain/emails/bounces/report.ts';
import {
  eventKeyOf,
  isSame,
  judged,
  memberOf,
  parseJson,
  textOf,
  timeOf,
  unauthorized,
  type Webhook,
} from './request.ts';

/**
 * Postmark's bounce types, and what they say if the server's reply says nothing. Types not listed are no bounces (an
 * auto-reply, a delay, an opt-out).
 */
const BOUNCES: Readonly<Record<string, Outcome['verdict']>> = {
  HardBounce: 'address',
  BadEmailAddress: 'address',
  SpamComplaint: 'complaint',
  SoftBounce: 'unclear',
  DnsError: 'temporary',
  SpamNotification: 'policy',
  Blocked: 'policy',
  VirusNotification: 'content',
  DMARCPolicy: 'policy',
  SMTPApiError: 'sender',
  Undeliverable: 'temporary',
  Unknown: 'unclear',
  ManuallyDeactivated: 'policy',
};
/** The types that a server's reply explains better. */
const EXPLAINED = new Set(['HardBounce', 'SoftBounce', 'Blocked', 'Undeliverable', 'Unknown']);

/** The outcome in an event; null if it is no delivery, bounce or complaint. */
export function outcomeOf(event: unknown): Outcome | null {
  const recipients = [textOf(event, 'Email') || textOf(event, 'Recipient')];
  const details = keptText(textOf(event, 'Details'));
  const diagnostic = details ?? keptText(textOf(event, 'Description'));
  switch (textOf(event, 'RecordType')) {
    case 'Delivery':
      return { verdict: 'delivered', recipients, statusCode: null, diagnostic };
    case 'SpamComplaint':
      return { verdict: 'complaint', recipients, statusCode: null, diagnostic: null };
    case 'Bounce': {
      const type = textOf(event, 'Type');
      if (!Object.hasOwn(BOUNCES, type)) return null;
      const { verdict, statusCode } = judged({ text: details }, BOUNCES[type]!);
      return { verdict: EXPLAINED.has(type) ? verdict : BOUNCES[type]!, statusCode, recipients, diagnostic };
    }
    default:
      return null;
  }
}

/**
 * Whether somebody opted out: suppressions for a bounce or a complaint are told as such too. That Postmark sends to an
 * address again (SuppressSending false) says nothing of what its owner wanted here.
 */
const isOptOut = (event: unknown): boolean =>
  textOf(event, 'RecordType') === 'SubscriptionChange' &&
  memberOf(event, 'SuppressSending') === true &&
  textOf(event, 'SuppressionReason') === 'ManualSuppression';

/**
 * Postmark signs nothing and makes its own Message-ID. It authenticates by the name and password in its webhook's URL,
 * or by the whole secret in a header, and returns the metadata that our emails carry while this is configured.
 */
export const postmark: Webhook = {
  isConfigured: (env) => env.WEBHOOK_POSTMARK_SECRET !== '',
  read({ deps, body, header, now }) {
    const secret = deps.env.WEBHOOK_POSTMARK_SECRET;
    const basic = isSame(header('authorization'), `Basic ${Buffer.from(secret).toString('base64')}`);
    if (!isSame(header('x-webhook-secret'), secret) && !basic) throw unauthorized('The secret is invalid');
    const event = parseJson(body.toString());
    const emailId = deps.links.verifyBounce(textOf(event, 'Metadata', 'email'));
    const outcome = outcomeOf(event);
    if (emailId === null) return { reports: [] };
    const at = timeOf(textOf(event, 'BouncedAt') || textOf(event, 'DeliveredAt') || textOf(event, 'ChangedAt'), now);
    if (isOptOut(event)) {
      // Each change of one email has its own time, and no id.
      const eventKey = `change-${at.toISOString()}`;
      return { reports: [], optOuts: [{ emailId, source: 'postmark', eventKey, at }] };
    }
    if (outcome === null) return { reports: [] };
    const eventKey = eventKeyOf(textOf(event, 'ID') || textOf(event, 'MessageID'), event);
    return { reports: [{ emailId, source: 'postmark', eventKey, at, outcomes: [outcome] }] };
  },
};
