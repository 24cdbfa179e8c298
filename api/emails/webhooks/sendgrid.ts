import { createPublicKey, verify } from 'node:crypto';
import { judgeFailure } from '../../../domain/emails/bounces/judge-failure.ts';
import { keptText, type Outcome } from '../../../domain/emails/bounces/report.ts';
import {
  emailOf,
  eventKeyOf,
  FIVE_MINUTES_MS,
  isNear,
  parseJson,
  textOf,
  timeOf,
  unauthorized,
  type Webhook,
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

/** SendGrid never sent an email that it dropped; these drops are because of what it already knew about the address. */
const DEAD_DROPS = /^(bounced address|invalid|spam reporting address)/i;

function outcomeOf(event: unknown): Outcome | null {
  const recipients = [textOf(event, 'email')];
  const diagnostic = keptText(textOf(event, 'reason') || textOf(event, 'response'));
  const judged = judgeFailure(textOf(event, 'status'), diagnostic);
  const statusCode = judged?.statusCode ?? null;
  switch (textOf(event, 'event')) {
    case 'delivered':
      return { kind: 'delivered', recipients, statusCode: null, diagnostic };
    case 'spamreport':
      return { kind: 'complaint', recipients, statusCode: null, diagnostic: null };
    case 'bounce':
      return {
        kind: textOf(event, 'type') === 'blocked' ? 'soft' : (judged?.kind ?? 'hard'),
        recipients,
        statusCode,
        diagnostic,
      };
    case 'dropped':
      return { kind: DEAD_DROPS.test(diagnostic ?? '') ? 'hard' : 'soft', recipients, statusCode, diagnostic };
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
    const reports = (Array.isArray(parsed) ? parsed : []).flatMap((event: unknown) => {
      const emailId = emailOf(request.deps.links, textOf(event, 'smtp-id'));
      const outcome = outcomeOf(event);
      if (emailId === null || outcome === null) return [];
      return [
        {
          emailId,
          source: 'sendgrid' as const,
          eventKey: eventKeyOf(textOf(event, 'sg_event_id'), event),
          at: timeOf(textOf(event, 'timestamp'), request.now),
          outcomes: [outcome],
        },
      ];
    });
    return { reports };
  },
};
