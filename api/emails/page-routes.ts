import { engineEm, tenantEm } from '../../db/orm.ts';
import { createEmailLinks } from '../../domain/emails/links.ts';
import { renderSent } from '../../domain/emails/render-stored.ts';
import type { UnsubscribeSubject } from '../../domain/emails/tokens.ts';
import { unsubscribe } from '../../domain/emails/unsubscribe.ts';
import { AppError } from '../../domain/errors.ts';
import type { Deps } from '../../config/deps.ts';
import { route, type Reply, type RouteSpec } from '../guard.ts';
import { htmlPage, pagePolicy } from '../html.ts';
import { TokenParams } from './schema.ts';

const MAX_AGENT = 500;
/** A mail in the browser: its pictures and styles, no script, nothing sent from it. */
const MAIL_POLICY = "default-src 'none'; img-src * data:; style-src 'unsafe-inline' *; font-src *; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; sandbox allow-popups allow-top-navigation";
const responses = { 200: { contentType: 'text/html', description: 'A page' } };

const page = (title: string, body: string): Reply => ({
  body: htmlPage(title, `<h1>${title}</h1>${body}`),
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', 'Content-Security-Policy': pagePolicy(), 'Referrer-Policy': 'no-referrer' },
});

function readToken(deps: Deps, token: string): UnsubscribeSubject {
  const subject = deps.links.verifyUnsubscribe(token);
  if (!subject) throw new AppError('token_invalid');
  return subject;
}

/** GET shows a page and changes nothing, whoever follows the link; POST, from the page or a mailbox (RFC 8058), unsubscribes. */
const unsubscribeRoutes = (path: `/${string}`, name: string): RouteSpec[] => [
  route({
    method: 'GET', path, operationId: `show${name}`, summary: 'The page to unsubscribe on', access: 'public', params: TokenParams, openQuery: true,
    responses, errors: ['token_invalid'],
    handler: async ({ deps, params }) => {
      readToken(deps, params.token);
      return page('Unsubscribe', '<p>You will get no more marketing mail from us at this address.</p><form method="post"><button type="submit">Unsubscribe</button></form>');
    },
  }),
  route({
    method: 'POST', path, operationId: `submit${name}`, summary: 'Unsubscribe at once', access: 'public', params: TokenParams, openQuery: true,
    description: 'Any body is accepted and not looked at; mailbox providers send `List-Unsubscribe=One-Click` (RFC 8058).',
    responses, errors: ['token_invalid'],
    handler: async ({ ctx, deps, params, requestId }) => {
      const subject = readToken(deps, params.token);
      const visitor = { requestId, ip: ctx.ip || null, userAgent: ctx.get('user-agent').slice(0, MAX_AGENT) || null };
      await unsubscribe(tenantEm(deps.orm, subject.tenantId), subject, visitor);
      return page('You are unsubscribed', '<p>We will send you no more marketing mail at this address.</p>');
    },
  }),
];

export const pageRoutes: RouteSpec[] = [
  ...unsubscribeRoutes('/emails/unsubscribe/{token}', 'Unsubscribe'),
  // Until there are topics to choose from, all that can be chosen is to get nothing.
  ...unsubscribeRoutes('/emails/preferences/{token}', 'Preferences'),
  route({
    method: 'GET', path: '/emails/view/{token}', operationId: 'viewEmail', summary: 'An email in the browser', access: 'public', params: TokenParams, openQuery: true,
    responses, errors: ['token_invalid'],
    handler: async ({ deps, params }) => {
      const emailId = deps.links.verifyEmailToken('view', params.token);
      const options = { links: createEmailLinks({ publicUrl: deps.env.PUBLIC_URL, signer: deps.links }), postalAddress: deps.env.MAIL_POSTAL_ADDRESS || null };
      const rendered = emailId === null ? null : await renderSent(engineEm(deps.orm), options, emailId);
      if (!rendered) throw new AppError('token_invalid');
      return { body: rendered.html, headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store', 'Content-Security-Policy': MAIL_POLICY } };
    },
  }),
];
