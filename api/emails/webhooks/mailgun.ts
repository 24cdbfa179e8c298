import { createHmac } from 'node:crypto';
import { keptText, type Outcome } from '../../../domain/emails/bounces/report.ts';
import {
  emailOf,
  eventKeyOf,
  FIVE_MINUTES_MS,
  isNear,
  isSame,
  judged,
  memberOf,
  parseJson,
  textOf,
  timeOf,
  unauthorized,
  type Webhook,
} from './request.ts';

/** Mailgun did not even try, because of what it already knew about the address. */
const KNOWN: Readonly<Record<string, Outcome['verdict']>> = {
  'suppress-bounce': 'address',
  'suppress-complaint': 'complaint',
  // The person opted out at Mailgun, which says nothing about the address.
  'suppress-unsubscribe': 'policy',
};
/** What a reason says if the server's reply says nothing. `old`: its retries came to nothing. */
const REASONS: Readonly<Record<string, Outcome['verdict']>> = {
  bounce: 'address',
  old: 'temporary',
  espblock: 'policy',
};

/** The outcome in an event; null if it is no delivery, failure or complaint. */
export function outcomeOf(event: unknown): Outcome | null {
  const recipients = [textOf(event, 'recipient')];
  const status = memberOf(event, 'delivery-status');
  const diagnostic = keptText(textOf(status, 'message') || textOf(status, 'description'));
  switch (textOf(event, 'event')) {
    case 'delivered':
      return { verdict: 'delivered', recipients, statusCode: null, diagnostic };
    case 'complained':
      return { verdict: 'complaint', recipients, statusCode: null, diagnostic: null };
    case 'failed': {
      // Temporary failure: Mailgun will retry.
      if (textOf(event, 'severity') !== 'permanent') return null;
      const reason = textOf(event, 'reason');
      if (Object.hasOwn(KNOWN, reason)) return { verdict: KNOWN[reason]!, recipients, statusCode: null, diagnostic };
      // Mailgun's own codes are no replies of a server.
      const code = Number(textOf(status, 'code'));
      const reply = code >= 500 && code < 560 ? code : null;
      const given = Object.hasOwn(REASONS, reason) ? REASONS[reason]! : 'unclear';
      return {
        ...judged({ status: textOf(status, 'enhanced-code'), reply, text: diagnostic }, given),
        recipients,
        diagnostic,
      };
    }
    default:
      return null;
  }
}

/**
 * Mailgun: HMAC-SHA256 of a timestamp and a token. It does not cover the event itself, so each token is accepted only
 * once.
 */
export const mailgun: Webhook = {
  isConfigured: (env) => env.WEBHOOK_MAILGUN_SIGNING_KEY !== '',
  read({ deps, body, now }) {
    const parsed = parseJson(body.toString());
    const [timestamp, token, signature] = ['timestamp', 'token', 'signature'].map((name) =>
      textOf(parsed, 'signature', name),
    ) as [string, string, string];
    const expected = createHmac('sha256', deps.env.WEBHOOK_MAILGUN_SIGNING_KEY)
      .update(timestamp + token)
      .digest('hex');
    if (token === '' || !isSame(signature, expected)) throw unauthorized('The signature is invalid');
    const signedAt = timeOf(timestamp, new Date(0));
    if (!isNear(signedAt, now, FIVE_MINUTES_MS)) throw unauthorized('The signature is too old');
    const event = memberOf(parsed, 'event-data');
    const emailId = emailOf(
      deps.links,
      textOf(event, 'message', 'headers', 'message-id'),
      textOf(event, 'envelope', 'sender'),
    );
    const outcome = outcomeOf(event);
    const once = { token: `mailgun/${token}`, at: signedAt };
    if (emailId === null) return { reports: [], once };
    const named = {
      emailId,
      source: 'mailgun' as const,
      eventKey: eventKeyOf(textOf(event, 'id'), event),
      at: timeOf(textOf(event, 'timestamp'), now),
    };
    return {
      reports: outcome ? [{ ...named, outcomes: [outcome] }] : [],
      optOuts: textOf(event, 'event') === 'unsubscribed' ? [named] : [],
      once,
    };
  },
};
