import type { Context } from 'koa';
import { Type } from 'typebox';
import { engineEm, tenantEm } from '../../../db/orm.ts';
import { PREVIEW_TOKEN } from '../../../domain/emails/rendering/links.ts';
import { confirmOptIn, readOptIn } from '../../../domain/choices/subscription/confirm-opt-in.ts';
import { readOptInToken, type OptInToken } from '../../../domain/choices/subscription/opt-in-token.ts';
import {
  confirmSender,
  readConfirmationToken,
  senderToConfirm,
} from '../../../domain/emails/sender-setup/confirm-sender.ts';
import {
  readPagePreferences,
  refuseOtherChannels,
  savePagePreferences,
  type PageChoice,
} from '../../../domain/choices/preferences/page-preferences.ts';
import { quietViolations } from '../../../domain/choices/preferences/preference-violations.ts';
import { CHANNELS, type Channel } from '../../../db/entities/channels.ts';
import { renderSent } from '../../../domain/emails/history/render-stored.ts';
import type { TokenSubject } from '../../../domain/addresses/tokens.ts';
import { unsubscribe, type Visitor } from '../../../domain/choices/subscription/unsubscribe.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import type { Deps } from '../../../runtime/deps.ts';
import { escapeHtml } from '../../pages/html.ts';
import {
  confirmPage,
  confirmSenderPage,
  preferencesPage,
  recipientErrorPage,
  statementPage,
  unsubscribedPage,
  unsubscribePage,
} from './pages.ts';
import { TokenParams } from '../ledger/schema.ts';
import { withoutPunctuation } from '../../route/without-punctuation.ts';
import { route, type Reply, type RouteSpec } from '../../route/route.ts';

const MAX_AGENT = 500;
/** The policy for an email shown in the browser: pictures and styles, no scripts, no forms. */
const MAIL_POLICY =
  "default-src 'none'; img-src * data:; style-src 'unsafe-inline' *; font-src *; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-popups allow-top-navigation";

/**
 * Common to all of these: anyone with the link may open it, link scanners append parameters, and browsers get error
 * pages.
 */
const page = {
  access: 'public',
  params: TokenParams,
  openQuery: true,
  responses: { 200: { contentType: 'text/html', description: 'An HTML page in the language of the visitor' } },
  errors: ['token_invalid'],
  errorPage: recipientErrorPage,
} as const satisfies Partial<RouteSpec>;

const visitorOf = (ctx: Context, requestId: string): Visitor => ({
  requestId,
  ip: ctx.ip || null,
  userAgent: ctx.get('user-agent').slice(0, MAX_AGENT) || null,
});
const emOf = (deps: Deps, { tenantId }: { tenantId: string }) => tenantEm(deps.orm, tenantId);

function readToken(deps: Deps, token: string): TokenSubject {
  const subject = deps.links.verifyUnsubscribe(withoutPunctuation(token));
  if (!subject) throw new AppError('token_invalid');
  return subject;
}

function readConfirmation(deps: Deps, token: string): OptInToken {
  const read = readOptInToken(deps.links, withoutPunctuation(token));
  if (!read) throw new AppError('token_invalid');
  return read;
}

/** The fields of the preference page. Posts with other fields are accepted too. */
const Choice = Type.Object(
  {
    topic: Type.Optional(
      Type.Unsafe<unknown>({
        description: 'The id of a wanted topic, repeated for each; unknown ids are ignored',
      }),
    ),
    topicSms: Type.Optional(Type.Unsafe<unknown>({ description: 'The same for text messages' })),
    topicPush: Type.Optional(Type.Unsafe<unknown>({ description: 'The same for pushes' })),
    channel: Type.Optional(
      Type.Unsafe<unknown>({
        description: 'A channel whose topics were shown, repeated for each; the choices for others stay. Default email',
      }),
    ),
    quietFrom: Type.Optional(Type.Unsafe<unknown>({ description: 'HH:MM; with `quietTo` empty: no quiet hours' })),
    quietTo: Type.Optional(Type.Unsafe<unknown>({ description: 'HH:MM' })),
    quietTimezone: Type.Optional(Type.Unsafe<unknown>({ description: 'An IANA time zone' })),
    unsubscribe: Type.Optional(
      Type.Unsafe<unknown>({
        description:
          'If present, unsubscribes from all marketing email, as `List-Unsubscribe=One-Click` does; with `anywhere` also from texts and pushes',
      }),
    ),
  },
  { examples: [{ topic: '1' }] },
);

/** The ids in a form field, which is a string or an array of strings. */
const idsIn = (field: unknown): number[] =>
  [field]
    .flat()
    .flatMap((value) =>
      typeof value === 'string' && /^[1-9]\d{0,15}$/.test(value) && Number.isSafeInteger(Number(value))
        ? [Number(value)]
        : [],
    );

const FIELDS = { email: 'topic', sms: 'topicSms', push: 'topicPush' } as const satisfies Record<Channel, string>;
const TIME = /^([01]\d|2[0-3]):[0-5]\d$/;

/** What a form says; null if its quiet hours are none. */
function choiceIn(body: Partial<Record<string, unknown>>): PageChoice | null {
  const shown = body['channel'] === undefined ? ['email'] : [body['channel']].flat();
  const channels = CHANNELS.filter((channel) => shown.includes(channel));
  const topics = Object.fromEntries(channels.map((channel) => [channel, idsIn(body[FIELDS[channel]])]));
  const { quietFrom: from, quietTo: to, quietTimezone: timezone } = body;
  if (from === undefined && to === undefined) return { topics };
  if (from === '' && to === '') return { topics, quietHours: null };
  const isSpan =
    [from, to].every((time) => typeof time === 'string' && TIME.test(time)) && typeof timezone === 'string';
  if (!isSpan || quietViolations({ from, to, timezone }).length > 0) return null;
  return { topics, quietHours: { from: from as string, to: to as string, timezone } };
}

const unsubscribeRoutes: RouteSpec[] = [
  route({
    ...page,
    method: 'GET',
    path: '/emails/unsubscribe/{token}',
    operationId: 'showUnsubscribe',
    summary: 'Page for unsubscribing',
    description: 'Changes nothing, so link scanners have no effect.',
    handler: async ({ ctx, deps, params: { token } }) => {
      if (withoutPunctuation(token) === PREVIEW_TOKEN) return statementPage(ctx, 'preview');
      const subject = readToken(deps, token);
      return unsubscribePage(ctx, withoutPunctuation(token), await readPagePreferences(emOf(deps, subject), subject));
    },
  }),
  route({
    ...page,
    method: 'POST',
    path: '/emails/unsubscribe/{token}',
    operationId: 'submitUnsubscribe',
    whileHeld: true,
    summary: 'Unsubscribe immediately',
    description: 'The body is ignored; mailbox providers send `List-Unsubscribe=One-Click` (RFC 8058).',
    handler: async ({ ctx, deps, params: { token }, requestId }) => {
      if (withoutPunctuation(token) === PREVIEW_TOKEN) return statementPage(ctx, 'preview');
      const subject = readToken(deps, token);
      await unsubscribe(emOf(deps, subject), subject, visitorOf(ctx, requestId));
      return unsubscribedPage(ctx);
    },
  }),
];

const preferenceRoutes: RouteSpec[] = [
  route({
    ...page,
    method: 'GET',
    path: '/emails/preferences/{token}',
    operationId: 'showPreferences',
    summary: 'Page for choosing topics by channel, and quiet hours',
    description: 'Changes nothing, so link scanners have no effect.',
    handler: async ({ ctx, deps, params: { token } }) => {
      if (withoutPunctuation(token) === PREVIEW_TOKEN) return statementPage(ctx, 'preview');
      const subject = readToken(deps, token);
      return preferencesPage(ctx, await readPagePreferences(emOf(deps, subject), subject));
    },
  }),
  route({
    ...page,
    method: 'POST',
    path: '/emails/preferences/{token}',
    operationId: 'submitPreferences',
    whileHeld: true,
    summary: 'Choose topics by channel and quiet hours, or unsubscribe from all',
    description: 'Topics that are not listed are opted out of. Does not resubscribe a contact that has unsubscribed.',
    body: Choice,
    bodyTypes: ['form', 'multipart'],
    bodyOptional: true,
    handler: async ({ ctx, deps, params: { token }, body, requestId }) => {
      if (withoutPunctuation(token) === PREVIEW_TOKEN) return statementPage(ctx, 'preview');
      const subject = readToken(deps, token);
      const em = emOf(deps, subject);
      const visitor = visitorOf(ctx, requestId);
      if (body.unsubscribe === 'anywhere') {
        await refuseOtherChannels(em, { tenantId: subject.tenantId, requestId }, subject, visitor.ip);
        await unsubscribe(em, subject, visitor);
        return statementPage(ctx, 'nothing');
      }
      if (body.unsubscribe !== undefined || 'List-Unsubscribe' in body) {
        await unsubscribe(em, subject, visitor);
        return unsubscribedPage(ctx);
      }
      const choice = choiceIn(body);
      return choice === null
        ? preferencesPage(ctx, await readPagePreferences(em, subject), { outcome: 'wrong' })
        : preferencesPage(ctx, await savePagePreferences(em, subject, choice), { outcome: 'saved' });
    },
  }),
];

const confirmRoutes: RouteSpec[] = [
  route({
    ...page,
    method: 'GET',
    path: '/emails/confirm/{token}',
    operationId: 'showConfirm',
    summary: 'Page for confirming an address',
    description: 'Changes nothing, so link scanners have no effect.',
    handler: async ({ ctx, deps, params }) => {
      const token = readConfirmation(deps, params.token);
      return (await readOptIn(emOf(deps, token), token)) === 'open'
        ? confirmPage(ctx)
        : statementPage(ctx, 'confirmed');
    },
  }),
  route({
    ...page,
    method: 'POST',
    path: '/emails/confirm/{token}',
    operationId: 'submitConfirm',
    summary: 'Confirm an address',
    description:
      'The contact becomes active, even if it had unsubscribed, and joins the lists that it signed up for. The body is ignored.',
    handler: async ({ ctx, deps, params, requestId }) => {
      const token = readConfirmation(deps, params.token);
      await confirmOptIn(emOf(deps, token), token, visitorOf(ctx, requestId));
      return statementPage(ctx, 'confirmed');
    },
  }),
];

const confirmSenderRoutes: RouteSpec[] = [
  route({
    ...page,
    method: 'GET',
    path: '/emails/confirm-sender/{token}',
    operationId: 'showConfirmSender',
    summary: 'Page for allowing an account to send from an address',
    description: 'Changes nothing, so link scanners have no effect.',
    handler: async ({ ctx, deps, params }) => {
      const token = readConfirmationToken(deps.links, withoutPunctuation(params.token));
      return confirmSenderPage(ctx, await emOf(deps, token).transactional((tx) => senderToConfirm(tx, token)));
    },
  }),
  route({
    ...page,
    method: 'POST',
    path: '/emails/confirm-sender/{token}',
    operationId: 'submitConfirmSender',
    summary: 'Allow an account to send from an address',
    description:
      'The address becomes a verified sender of the account that requested it. The link works once. The body is ignored.',
    handler: async ({ ctx, deps, params, requestId }) => {
      const token = readConfirmationToken(deps.links, withoutPunctuation(params.token));
      await confirmSender(emOf(deps, token), token, { requestId, address: ctx.ip || null });
      return statementPage(ctx, 'senderConfirmed');
    },
  }),
];

/** An email as a page has a title: its subject, unless it has one of its own. */
function titled({ html, subject }: { html: string; subject: string }): string {
  if (/<title[\s>]/i.test(html)) return html;
  const start = /^\s*(<!doctype[^>]*>)?(\s*<html[^>]*>)?(\s*<head[^>]*>)?/i.exec(html)![0];
  return `${start}<title>${escapeHtml(subject)}</title>${html.slice(start.length)}`;
}

async function viewEmail(deps: Deps, token: string): Promise<Reply> {
  const named = deps.links.verifyView(withoutPunctuation(token));
  const { PUBLIC_URL: publicUrl, LINK_SECRET: linkSecret, MAIL_POSTAL_ADDRESS } = deps.env;
  const rendered =
    named === null
      ? null
      : await renderSent(
          engineEm(deps.orm),
          { publicUrl, linkSecret, postalAddress: MAIL_POSTAL_ADDRESS || null },
          named,
        );
  if (!rendered) throw new AppError('token_invalid');
  return {
    body: titled(rendered),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': MAIL_POLICY,
    },
  };
}

/** Pages for recipients. GET changes nothing; POST is idempotent. */
export const pageRoutes: RouteSpec[] = [
  ...unsubscribeRoutes,
  ...preferenceRoutes,
  ...confirmRoutes,
  ...confirmSenderRoutes,
  route({
    ...page,
    method: 'GET',
    path: '/emails/view/{token}',
    operationId: 'viewEmail',
    summary: 'View an email in the browser',
    description:
      'The link `{{webViewUrl}}` of an email leads here. Shows the email as it was sent, and records nothing.',
    handler: async ({ ctx, deps, params: { token } }) =>
      withoutPunctuation(token) === PREVIEW_TOKEN ? statementPage(ctx, 'preview') : viewEmail(deps, token),
  }),
];
