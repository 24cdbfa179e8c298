import type { Context } from 'koa';
import { tenantEm, type EntityManager } from '../../db/orm.ts';
import type { Form } from '../../db/entities/forms.ts';
import { AppError, notFound } from '../../domain/common/errors.ts';
import type { FieldError } from '../../domain/forms/check-submission.ts';
import { readActiveForm } from '../../domain/forms/read-active-form.ts';
import { countView, submitForm } from '../../domain/forms/submit-form.ts';
import type { Deps } from '../../runtime/deps.ts';
import { pagePolicy } from '../pages/html.ts';
import { preferredLanguage } from '../pages/language.ts';
import { isFormToken, makeFormToken } from './form-token.ts';
import { submissionFiles } from './submission-files.ts';
import { formPage, HONEYPOT, thanksPage } from './pages.ts';
import type { Call, Reply } from '../route/route.ts';

type PublicCall<B = unknown> = Call<{ id: number }, unknown, B>;

/** Finds the ACTIVE form behind a public URL, of any tenant. Throws 404. */
export async function publicForm(deps: Deps, id: number): Promise<{ form: Form; em: EntityManager }> {
  const form = await readActiveForm(deps.pipelined, id);
  if (!form) throw notFound('form', id);
  return { form, em: tenantEm(deps.orm, form.tenantId) };
}

/**
 * CORS of the public form endpoints: any origin, or those of the form's list; never credentials. Our own pages are
 * always allowed, also behind a proxy (`ownOrigin`, from PUBLIC_URL). Throws 403.
 */
export function allowOrigin(ctx: Context, form: Form, ownOrigin: string): void {
  const origin = ctx.get('origin');
  // (Koa's `ctx.origin` is the Origin header itself.)
  if (origin === '' || origin === `${ctx.protocol}://${ctx.host}` || origin === ownOrigin) return;
  const listed = form.allowedOrigins ?? [];
  // Set by `openErrors`; this origin may not be allowed.
  ctx.remove('Access-Control-Allow-Origin');
  if (listed.length > 0 && !listed.includes(origin))
    throw new AppError('origin_not_allowed', `The form does not accept submissions from ${origin}`);
  ctx.set('Access-Control-Allow-Origin', listed.length > 0 ? origin : '*');
  ctx.vary('Origin');
}

export const ownOriginOf = (deps: Deps): string => new URL(deps.env.PUBLIC_URL).origin;
const actionOf = (deps: Deps, form: Form): string => `${deps.env.PUBLIC_URL}/api/v1/forms/${form.id}/submit`;

/**
 * The hosted page with a new token; `frame-ancestors` follows the form's origins. `lostFiles` are the names of fields
 * whose file was sent and must be chosen again.
 */
export function hostedPage(
  deps: Deps,
  form: Form,
  values: Record<string, unknown> = {},
  errors: FieldError[] = [],
  lostFiles: string[] = [],
): Reply {
  const { token } = makeFormToken(deps.links, form.id, new Date());
  const ancestors = form.allowedOrigins?.length ? form.allowedOrigins.join(' ') : '*';
  return {
    body: formPage(form, actionOf(deps, form), { token, values, errors, lostFiles }),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      // Under `no-referrer`, a browser posts the form with `Origin: null`, which is in no list of origins.
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      // form-action applies to redirects too, so it must include the form's redirect target.
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

/** Whether the client is a browser that wants a page, not a script that wants JSON. */
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

/** Accepts a submission as JSON, as a browser's form post, or as multipart. */
export async function submit(call: PublicCall<Record<string, unknown>>): Promise<Reply> {
  const { ctx, deps, params, requestId, body, files } = call;
  const { form, em } = await publicForm(deps, params.id);
  allowOrigin(ctx, form, ownOriginOf(deps));
  // The pages may be framed: the form by its allowed origins (`frame-ancestors`), the thanks by any site.
  ctx.remove('X-Frame-Options');
  const { _token: token, [HONEYPOT]: honeypot, ...data } = body;
  const lostFiles = files.map(({ field }) => field);
  const fromBrowser = ctx.get('origin') !== '' || !ctx.is('json');
  if (fromBrowser && !isFormToken(deps.links, token, form.id, new Date())) {
    if (wantsPage(ctx)) return hostedPage(deps, form, data, [], lostFiles);
    throw new AppError(
      'token_invalid',
      'The form token is missing or has expired; get a new one from /forms/{id}/token',
    );
  }
  // A bot filled the honeypot: it gets a success response, and nothing is stored.
  if (honeypot !== undefined && honeypot !== null && honeypot !== '')
    return thanks(ctx, form, { contactId: null, submissionId: null });
  const visitor = {
    ipAddress: ctx.ip,
    userAgent: ctx.get('user-agent').slice(0, 500) || null,
    language: preferredLanguage(ctx.get('accept-language')),
  };
  const origin = { tenantId: form.tenantId, requestId };
  const result = await submitForm(em, origin, form, data, visitor, await submissionFiles(deps, form, files));
  if (result.ok) return thanks(ctx, form, { contactId: result.contactId, submissionId: result.submissionId });
  if (wantsPage(ctx)) return { ...hostedPage(deps, form, data, result.errors, lostFiles), status: 422 };
  return { status: 422, body: { success: false, errors: result.errors } };
}
