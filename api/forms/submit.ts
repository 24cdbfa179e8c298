import type { Context } from 'koa';
import { engineEm, tenantEm, type EntityManager } from '../../db/orm.ts';
import { Form } from '../../db/entities/forms.ts';
import { AppError, notFound } from '../../domain/common/errors.ts';
import type { FieldError } from '../../domain/forms/check-submission.ts';
import { countView, submitForm } from '../../domain/forms/submit-form.ts';
import type { Deps } from '../../runtime/deps.ts';
import { pagePolicy } from '../pages/html.ts';
import { preferredLanguage } from '../pages/language.ts';
import { isFormToken, makeFormToken } from './form-token.ts';
import { formPage, HONEYPOT, thanksPage } from './pages.ts';
import type { Call, Reply } from '../route/route.ts';

type PublicCall<B = unknown> = Call<{ id: number }, unknown, B>;

/** The form behind a public address: ACTIVE, of whichever tenant. Throws 404. */
export async function publicForm(deps: Deps, id: number): Promise<{ form: Form; em: EntityManager }> {
  const form = await engineEm(deps.orm).findOne(Form, { id, status: 'ACTIVE' });
  if (!form) throw notFound('form', id);
  return { form, em: tenantEm(deps.orm, form.tenantId) };
}

/**
 * CORS of the public form endpoints: any origin, or the form's own list; never credentials. Our own pages are always
 * let in, behind a proxy too (`ownOrigin`, of PUBLIC_URL). Throws 403.
 */
export function allowOrigin(ctx: Context, form: Form, ownOrigin: string): void {
  const origin = ctx.get('origin');
  // (Koa's `ctx.origin` is this very header.)
  if (origin === '' || origin === `${ctx.protocol}://${ctx.host}` || origin === ownOrigin) return;
  const listed = form.allowedOrigins ?? [];
  // Whatever let any origin read the errors before it: not this one.
  ctx.remove('Access-Control-Allow-Origin');
  if (listed.length > 0 && !listed.includes(origin))
    throw new AppError('origin_not_allowed', `The form does not accept submissions from ${origin}`);
  ctx.set('Access-Control-Allow-Origin', listed.length > 0 ? origin : '*');
  ctx.vary('Origin');
}

export const ownOriginOf = (deps: Deps): string => new URL(deps.env.PUBLIC_URL).origin;
const actionOf = (deps: Deps, form: Form): string => `${deps.env.PUBLIC_URL}/api/v1/forms/${form.id}/submit`;

/** The hosted page with a fresh token; `frame-ancestors` as the form's origins say. */
export function hostedPage(
  deps: Deps,
  form: Form,
  values: Record<string, unknown> = {},
  errors: FieldError[] = [],
): Reply {
  const { token } = makeFormToken(deps.links, form.id, new Date());
  const ancestors = form.allowedOrigins?.length ? form.allowedOrigins.join(' ') : '*';
  return {
    body: formPage(form, actionOf(deps, form), { token, values, errors }),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      // Under `no-referrer` a browser posts the form with `Origin: null`, which no list of origins lets in.
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      // form-action holds for redirects too, so the page a submission ends on is named.
      'Content-Security-Policy': pagePolicy(ancestors, form.redirectUrl ? new URL(form.redirectUrl).origin : ''),
    },
  };
}

export async function showPage({ deps, params, ctx }: PublicCall): Promise<Reply> {
  const { form, em } = await publicForm(deps, params.id);
  ctx.remove('X-Frame-Options');
  if (ctx.method === 'GET') await countView(em, form);
  return hostedPage(deps, form);
}

/** Whether a person's browser asks for a page, not a script for JSON. */
const wantsPage = (ctx: Context): boolean => !ctx.is('json') && ctx.accepts('json', 'html') === 'html';

function thanks(ctx: Context, form: Form, ids: { contactId: number | null; submissionId: number | null }): Reply {
  if (wantsPage(ctx)) {
    if (form.redirectUrl) return { status: 303, headers: { Location: new URL(form.redirectUrl).href } };
    return {
      body: thanksPage(form),
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': pagePolicy('*') },
    };
  }
  return {
    body: { success: true, ...ids, message: form.successMessage ?? null, redirectUrl: form.redirectUrl ?? null },
  };
}

/** Takes a submission of JSON, a browser's form post, or multipart. */
export async function submit(call: PublicCall<Record<string, unknown>>): Promise<Reply> {
  const { ctx, deps, params, requestId, body } = call;
  const { form, em } = await publicForm(deps, params.id);
  allowOrigin(ctx, form, ownOriginOf(deps));
  // The page may stand in a frame; `frame-ancestors` says whose.
  ctx.remove('X-Frame-Options');
  const { _token: token, [HONEYPOT]: honeypot, ...data } = body;
  const fromBrowser = ctx.get('origin') !== '' || !ctx.is('json');
  if (fromBrowser && !isFormToken(deps.links, token, form.id, new Date())) {
    if (wantsPage(ctx)) return hostedPage(deps, form, data);
    throw new AppError(
      'token_invalid',
      'The form token is missing or has expired; get a new one from /forms/{id}/token',
    );
  }
  // A program filled what no person sees: it is told what it wants to hear.
  if (honeypot !== undefined && honeypot !== null && honeypot !== '')
    return thanks(ctx, form, { contactId: null, submissionId: null });
  const result = await submitForm(em, { tenantId: form.tenantId, requestId }, form, data, {
    ipAddress: ctx.ip,
    userAgent: ctx.get('user-agent').slice(0, 500) || null,
    language: preferredLanguage(ctx.get('accept-language')),
  });
  if (result.ok) return thanks(ctx, form, { contactId: result.contactId, submissionId: result.submissionId });
  if (wantsPage(ctx)) return { ...hostedPage(deps, form, data, result.errors), status: 422 };
  return { status: 422, body: { success: false, errors: result.errors } };
}
