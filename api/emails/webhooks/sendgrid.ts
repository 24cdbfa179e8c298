import { createPublicKey, verify } from 'node:crypto';
import { keptText, type Outcome } from '../../../domain/emails/bounces/report.ts';
import {
  emailOf,
  eventKeyOf,
  FIVE_MINUTES_MS,
  isNear,
  judged,
  parseJson,
  textOf,
  timeOf,
  unauthorized,
  type Webhook,
  type WebhookReading,
  type WebhookRequest,
} from './request.ts';

/** ECDSA with SHA-256 over the timestamp and the raw body. */
function assertSigned({ deps, body, header, now }: WebhookRequest): void {
  const timestamp = header('x-twilio-email-event-webhook-timestamp');
  if (!/^\d{1,15}$/.test(timestamp) || !isNear(timeOf(timestamp, new Date(0)), now, FIVE_MINUTES_MS))
    throw unauthorized('The timestamp is missing or too old');
  const key = createPublicKey({
    key: Buffer.from(deps.env.WEBHOOK_SENDGRID_PUBLIC_KEY, 'base64'),
    format: 'der',
    type: 'spki',
  });
  const signature = Buffer.from(header('x-twilio-email-event-webhook-signature'), 'base64');
  if (!verify('sha256', Buffer.concat([Buffer.from(timestamp), body]), key, signature))
    throw unauthorized('The signature is invalid');
}

/** SendGrid did not even try: the reasons that say why by what it already knew. */
const DROPS: readonly (readonly [RegExp, Outcome['verdict']])[] = [
  [/^(bounced address|invalid)/i, 'address'],
  [/^spam reporting address/i, 'complaint'],
  [/quota/i, 'sender'],
];

/** Of all email, or of one of the sender's groups there, which say nothing here. */
const OPT_OUTS: ReadonlySet<string> = new Set(['unsubscribe', 'group_unsubscribe']);

/** The outcome in an event; null if it is no delivery, failure or complaint. */
export function outcomeOf(event: unknown): Outcome | null {
  const recipients = [textOf(event, 'email')];
  const diagnostic = keptText(textOf(event, 'reason') || textOf(event, 'response'));
  switch (textOf(event, 'event')) {
    case 'delivered':
      return { verdict: 'delivered', recipients, statusCode: null, diagnostic };
    case 'spamreport':
      return { verdict: 'complaint', recipients, statusCode: null, diagnostic: null };
    case 'bounce': {
      // `blocked`: not because of the address, unless the server's own words say otherwise.
      const isBlocked = textOf(event, 'type') === 'blocked';
      const status = isBlocked && diagnostic === null ? null : textOf(event, 'status');
      return { ...judged({ status, text: diagnostic }, isBlocked ? 'policy' : 'address'), recipients, diagnostic };
    }
    case 'dropped': {
      const verdict = DROPS.find(([reason]) => reason.test(diagnostic ?? ''))?.[1] ?? 'policy';
      return { verdict, recipients, statusCode: null, diagnostic };
    }
    default:
      return null;
  }
}

/** SendGrid's event webhook: batches of events, which contain our Message-ID as `smtp-id`. */
export const sendgrid: Webhook = {
  isConfigured: (env) => env.WEBHOOK_SENDGRID_PUBLIC_KEY !== '',
  read(request) {
    assertSigned(request);
    const parsed = parseJson(request.body.toString());
    const reading: Required<Pick<WebhookReading, 'reports' | 'optOuts'>> = { reports: [], optOuts: [] };
    for (const event of Array.isArray(parsed) ? (parsed as unknown[]) : []) {
      const emailId = emailOf(request.deps.links, textOf(event, 'smtp-id'));
      if (emailId === null) continue;
      const outcome = outcomeOf(event);
      const eventKey = eventKeyOf(textOf(event, 'sg_event_id'), event);
      const named = {
        emailId,
        source: 'sendgrid' as const,
        eventKey,
        at: timeOf(textOf(event, 'timestamp'), request.now),
      };
      if (outcome) reading.reports.push({ ...named, outcomes: [outcome] });
      else if (OPT_OUTS.has(textOf(event, 'event'))) reading.optOuts.push(named);
    }
    return reading;
  },
};
