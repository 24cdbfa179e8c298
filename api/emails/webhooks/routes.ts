import { Type } from 'typebox';
import { engineEm, freshTransaction } from '../../../db/orm.ts';
import { recordReports } from '../../../domain/emails/bounces/record-reports.ts';
import { recordOptOuts } from '../../../domain/choices/subscription/record-opt-outs.ts';
import { markWebhookUsed } from '../../../domain/emails/bounces/take-once.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';
import { readBytes } from '../../middleware/body.ts';
import { jsonMeter } from '../../middleware/body-size.ts';
import { strict } from '../../route/schemas.ts';
import { mailgun } from './mailgun.ts';
import { postmark } from './postmark.ts';
import type { Webhook } from './request.ts';
import { sendgrid } from './sendgrid.ts';
import { ses } from './ses.ts';
import { MAX_VALUES, route, type RouteSpec } from '../../route/route.ts';

const webhooks = new Map<string, Webhook>(Object.entries({ ses, sendgrid, mailgun, postmark }));
/**
 * SendGrid batches events up to 768 KB. An Amazon SNS message has up to 256 KB, and up to twice that as JSON in JSON.
 * Mailgun and Postmark report one event at a time; the bounce content that Postmark can add is not needed.
 */
const WEBHOOK_BYTES = 1024 * 1024;
const Params = Type.Object({ provider: Type.String({ examples: ['ses'] }) });

export const webhookRoutes: RouteSpec[] = [
  route({
    method: 'POST',
    path: '/emails/webhooks/{provider}',
    operationId: 'receiveWebhook',
    whileHeld: true,
    summary: 'Receive deliveries, bounces, complaints and opt-outs from a mail provider',
    access: 'public',
    description:
      'For `ses` (via Amazon SNS), `sendgrid`, `mailgun` and `postmark`, if their setting is present. Requests must be signed by the provider. Who unsubscribes at SendGrid (`unsubscribe`, `group_unsubscribe`), Mailgun (`unsubscribed`) or Postmark (`SubscriptionChange`) is unsubscribed here; nothing that a provider says lifts an opt-out. Events of other types, and of emails not sent by this service, are ignored.',
    params: Params,
    openQuery: true,
    bodyLimit: WEBHOOK_BYTES,
    responses: {
      200: {
        schema: strict(
          { reports: Type.Integer({ description: 'Number of reports about emails of this service' }) },
          { title: 'WebhookReceipt' },
        ),
      },
    },
    errors: ['unauthorized', 'malformed_json', 'not_found', 'payload_too_large', 'unavailable'],
    handler: async ({ ctx, deps, params }) => {
      const webhook = webhooks.get(params.provider);
      if (!webhook?.isConfigured(deps.env)) throw notFound('webhook for', params.provider);
      const limits = { bytes: Math.min(WEBHOOK_BYTES, deps.env.BODY_MAX_BYTES), values: MAX_VALUES.others };
      const body = await readBytes(ctx, limits.bytes, jsonMeter(limits));
      const {
        reports,
        optOuts = [],
        once,
      } = await webhook.read({ deps, body, header: (name) => ctx.get(name), now: new Date() });
      await freshTransaction(engineEm(deps.orm), async (tx) => {
        if (once && !(await markWebhookUsed(tx, once))) return;
        await recordOptOuts(tx, optOuts);
        const { deferred } = await recordReports(tx, reports);
        // Roll back everything; when the provider retries, the email's outcome is known.
        if (deferred > 0)
          throw new AppError('unavailable', 'An email in this report is still being sent; retry later', {
            headers: { 'Retry-After': '60' },
          });
      });
      return { body: { reports: reports.length + optOuts.length } };
    },
  }),
];
