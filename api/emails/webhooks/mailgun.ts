import { createHmac } from 'node:crypto';
import { judgeFailure } from '../../../domain/emails/bounces/judge-failure.ts';
import { keptText, type Outcome } from '../../../domain/emails/bounces/report.ts';
import {
  emailOf,
  eventKeyOf,
  FIVE_MINUTES_MS,
  isNear,
  isSame,
  memberOf,
  parseJson,
  textOf,
  timeOf,
  unauthorized,
  type Webhook,
} from './request.ts';

function outcomeOf(event: unknown): Outcome | null {
  const recipients = [textOf(event, 'recipient')];
  const status = memberOf(event, 'delivery-status');
  const diagnostic = keptText(textOf(status, 'message') || textOf(status, 'description'));
  switch (textOf(event, 'event')) {
    case 'delivered':
      return { kind: 'delivered', recipients, statusCode: null, diagnostic };
    case 'complained':
      return { kind: 'complaint', recipients, statusCode: null, diagnostic: null };
    case 'failed': {
      // Temporary failure: Mailgun will retry.
      if (textOf(event, 'severity') !== 'permanent') return null;
      const judged =
        judgeFailure(textOf(status, 'enhanced-code'), diagnostic) ?? judgeFailure(null, textOf(status, 'code'));
      const isDead = ['bounce', 'suppress-bounce'].includes(textOf(event, 'reason'));
      return {
        kind: judged?.kind ?? (isDead ? 'hard' : 'soft'),
        recipients,
        statusCode: judged?.statusCode ?? null,
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
    const reports =
      emailId === null || outcome === null
        ? []
        : [
            {
              emailId,
              source: 'mailgun' as const,
              eventKey: eventKeyOf(textOf(event, 'id'), event),
              at: timeOf(textOf(event, 'timestamp'), now),
              outcomes: [outcome],
            },
          ];
    return { reports, once: { token: `mailgun/${token}`, at: signedAt } };
  },
};
