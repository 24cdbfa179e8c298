import { Type } from 'typebox';
import { engineEm, retriedTransaction } from '../../db/orm.ts';
import { recordReports } from '../../domain/emails/bounces/record-reports.ts';
import { takeOnce } from '../../domain/emails/bounces/take-once.ts';
import { AppError, notFound } from '../../domain/errors.ts';
import { route, type RouteSpec } from '../guard.ts';
import { readBytes } from '../middleware/body.ts';
import { strict } from '../schemas.ts';
import { mailgun } from './webhooks/mailgun.ts';
import { postmark } from './webhooks/postmark.ts';
import type { Webhook } from './webhooks/request.ts';
import { sendgrid } from './webhooks/sendgrid.ts';
import { ses } from './webhooks/ses.ts';

const webhooks = new Map<string, Webhook>(Object.entries({ ses, sendgrid, mailgun, postmark }));
const Params = Type.Object({ provider: Type.String({ examples: ['ses'] }) });

export const webhookRoutes: RouteSpec[] = [
  route({
    method: 'POST', path: '/emails/webhooks/{provider}', operationId: 'receiveWebhook', summary: 'What a mail provider tells of deliveries, bounces and complaints', access: 'public',
    description: 'For `ses` (by Amazon SNS), `sendgrid`, `mailgun` and `postmark`, each where its setting is given; signed as each of them does. Events of other types, and of mail that is not ours, are ignored.',
    params: Params, openQuery: true,
    responses: { 200: { schema: strict({ reports: Type.Integer({ description: 'How many were about our mails' }) }, { title: 'WebhookReceipt' }) } },
    errors: ['unauthorized', 'malformed_json', 'not_found', 'payload_too_large', 'unavailable'],
    handler: async ({ ctx, deps, params }) => {
      const webhook = webhooks.get(params.provider);
      if (!webhook?.isConfigured(deps.env)) throw notFound('webhook of', params.provider);
      const body = await readBytes(ctx, deps.env.BODY_MAX_BYTES);
      const { reports, once } = await webhook.read({ deps, body, header: (name) => ctx.get(name), now: new Date() });
      await retriedTransaction(engineEm(deps.orm), async (tx) => {
        if (once && !(await takeOnce(tx, once))) return;
        const { deferred } = await recordReports(tx, reports);
        // Nothing of it is kept, and the provider comes again: by then it is settled.
        if (deferred > 0) throw new AppError('unavailable', 'A mail that it tells of is being sent yet; come again', { headers: { 'Retry-After': '60' } });
      });
      return { body: { reports: reports.length } };
    },
  }),
];
