import { judgeFailure } from '../../../domain/emails/bounces/judge-failure.ts';
import { keptText, type Outcome } from '../../../domain/emails/bounces/report.ts';
import { eventKeyOf, isSame, parseJson, textOf, timeOf, unauthorized, type Webhook } from './request.ts';

/**
 * Postmark's bounce types, and whether the address is dead. Types not listed are no bounces (an auto-reply, a delay, an
 * opt-out).
 */
const BOUNCES: Record<string, Outcome['kind']> = {
  HardBounce: 'hard',
  BadEmailAddress: 'hard',
  SpamComplaint: 'complaint',
  SoftBounce: 'soft',
  DnsError: 'soft',
  SpamNotification: 'soft',
  Blocked: 'soft',
  VirusNotification: 'soft',
  DMARCPolicy: 'soft',
  SMTPApiError: 'soft',
  Undeliverable: 'soft',
  Unknown: 'soft',
  ManuallyDeactivated: 'soft',
};

function outcomeOf(event: unknown): Outcome | null {
  const recipients = [textOf(event, 'Email') || textOf(event, 'Recipient')];
  const diagnostic = keptText(textOf(event, 'Details') || textOf(event, 'Description'));
  switch (textOf(event, 'RecordType')) {
    case 'Delivery':
      return { kind: 'delivered', recipients, statusCode: null, diagnostic };
    case 'SpamComplaint':
      return { kind: 'complaint', recipients, statusCode: null, diagnostic: null };
    case 'Bounce': {
      const type = textOf(event, 'Type');
      if (!Object.hasOwn(BOUNCES, type)) return null;
      return {
        kind: BOUNCES[type]!,
        recipients,
        statusCode: judgeFailure(null, diagnostic)?.statusCode ?? null,
        diagnostic,
      };
    }
    default:
      return null;
  }
}

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
    if (emailId === null || outcome === null) return { reports: [] };
    const at = timeOf(textOf(event, 'BouncedAt') || textOf(event, 'DeliveredAt'), now);
    return {
      reports: [
        {
          emailId,
          source: 'postmark',
          eventKey: eventKeyOf(textOf(event, 'ID') || textOf(event, 'MessageID'), event),
          at,
          outcomes: [outcome],
        },
      ],
    };
  },
};
