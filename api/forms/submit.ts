import type { Context } from 'koa';
import { tenantEm, type EntityManager } from '../../db/orm.ts';
import type { Form, FormField } from '../../db/entities/forms.ts';
import { findTokenContact, makeContactToken } from '../../domain/addresses/contact-token.ts';
import { AppError, notFound } from '../../lib/checks/errors.ts';
import { NoRoomForFiles } from '../../domain/common/kept-files.ts';
import type { Language } from '../../lib/text/languages.ts';
import { isBox } from '../../domain/forms/checks/boxes.ts';
import { CaptchaUnchecked } from '../../domain/forms/captcha.ts';
import { hidesKnown, readKnownContact, shownFields, type KnownContact } from '../../domain/forms/known-contact.ts';
import { readActiveForm } from '../../domain/forms/read-active-form.ts';
import { submitForm } from '../../domain/forms/submit-form.ts';
import { withUnticked } from '../../domain/forms/unticked.ts';
import type { Deps } from '../../runtime/deps.ts';
import { escapeHtml, htmlPage, pagePolicy } from '../pages/html.ts';
import { imprintOn } from '../pages/imprint.ts';
import { preferredLanguage } from '../pages/language.ts';
import { countView } from './form-counts.ts';
import { isFormToken, makeFormToken } from './form-token.ts';
import { pageScripts } from './page-policy.ts';
import { formPage, thanksPage, type ShownForm } from './pages.ts';
import { presentPublicForm, type PublicSettings } from './presenter.ts';
import { scriptTag } from './script.ts';
import { HONEYPOT, SHOWN_BOXES, type Definition } from './shared/definition.ts';
import { submissionFiles } from './submission-files.ts';
import { failureText, FORM_TEXTS } from './shared/texts.ts';
import { groupsOf } from './submission-groups.ts';
import { takeOfAddress, takeOfForm } from './submission-limits.ts';
import { apiUrlOf } from '../route/api-url.ts';
import { withoutPunctuation } from '../route/without-punctuation.ts';
import type { Call, Reply } from '../route/route.ts';

type PublicCall<B = unknown, Q = unknown> = Call<{ id: number }, Q, B>;

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
export const publicSettings = ({ captcha, env }: Deps): PublicSettings => ({
  captcha: captcha.kind,
  maxFileBytes: env.FORM_FILE_MAX_BYTES,
});

/** The language of the texts of a page, for its visitor. */
function languageFor(ctx: Context): Language {
  ctx.vary('Accept-Language');
  return preferredLanguage(ctx.get('accept-language'));
}

/** What a form shows to the contact of a token, and the token if it is valid. */
interface ShownTo {
  fields: FormField[];
  /** Whether something is left out because it is known. */
  knownContact: boolean;
  contactToken?: string;
}

/**
 * The hosted page with a new token; `frame-ancestors` follows the form's origins. `lostFiles` are the names of fields
 * whose file was sent and must be chosen again.
 */
export function hostedPage(
  ctx: Context,
  deps: Deps,
  form: Form,
  {
    knownContact,
    ...shown
  }: ShownTo & Pick<ShownForm, 'values' | 'errors' | 'failure' | 'isUnread' | 'isOnceMore' | 'lostFiles'>,
): Reply {
  const { token } = makeFormToken(deps.links, form.id, new Date());
  const ancestors = form.allowedOrigins?.length ? form.allowedOrigins.join(' ') : '*';
  const language = languageFor(ctx);
  const definition: Definition = presentPublicForm(form, { fields: shown.fields, knownContact }, publicSettings(deps));
  const apiUrl = apiUrlOf(deps);
  const url = `${apiUrl}/forms/${form.id}`;
  const otherUrl = knownContact ? { otherUrl: `${url}/page` } : {};
  const script = scriptTag(apiUrl);
  const imprint = imprintOn(ctx);
  return {
    body: formPage(form, `${url}/submit`, { ...shown, ...otherUrl, token, language, definition, script, imprint }),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': language,
      'Cache-Control': 'no-store',
      // Under `no-referrer`, a browser posts the form with `Origin: null`, which is in no list of origins.
      'Referrer-Policy': 'strict-origin-when-cross-origin',
      // form-action applies to redirects too, so it must include the form's redirect target.
      'Content-Security-Policy': pagePolicy({
        frameAncestors: ancestors,
        formTargets: form.redirectUrl ? new URL(form.redirectUrl).origin : '',
        imprint,
        more: pageScripts(apiUrl, definition.captcha),
      }),
    },
  };
}

export async function showPage({
  deps,
  params,
  ctx,
  query,
}: PublicCall<unknown, { contactToken?: string }>): Promise<Reply> {
  const { form, em } = await publicForm(deps, params.id);
  ctx.remove('X-Frame-Options');
  if (ctx.method === 'GET') await countView(deps, form);
  return hostedPage(
    ctx,
    deps,
    form,
    await shownTo(deps, em, form, withoutPunctuation(query.contactToken ?? '') || undefined),
  );
}

/** The contact that a token stands for; null without a valid one. */
async function contactOfToken(
  { links }: Deps,
  em: EntityManager,
  form: Form,
  token: unknown,
): Promise<KnownContact | null> {
  const contactId = await findTokenContact(em, links, token, form.tenantId);
  return contactId === null ? null : readKnownContact(em, form, contactId);
}

/** Whether the client is a browser that wants a page, not a script that wants JSON. */
export const wantsPage = (ctx: Context): boolean => !ctx.is('json') && ctx.accepts('json', 'html') === 'html';

/** Whether the same submission may be accepted later. */
export const isTemporary = (error: unknown): error is AppError =>
  error instanceof AppError &&
  ['unavailable', 'captcha_unavailable', 'no_room_for_files', 'too_many_requests'].includes(error.code);

/** Whether a honeypot was filled, which only robots see. */
export const isFilled = (honeypot: unknown): boolean => honeypot !== undefined && honeypot !== null && honeypot !== '';

interface Accepted {
  contactId: number | null;
  submissionId: number | null;
  contactToken?: string;
}

function thanks(ctx: Context, form: Form, accepted: Accepted): Reply {
  if (wantsPage(ctx)) {
    if (form.redirectUrl) return { status: 303, headers: { Location: new URL(form.redirectUrl).href } };
    const language = languageFor(ctx);
    const imprint = imprintOn(ctx);
    return {
      body: thanksPage(form, language, imprint),
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Language': language,
        'Content-Security-Policy': pagePolicy({ frameAncestors: '*', imprint }),
      },
    };
  }
  return {
    body: { success: true, ...accepted, message: form.successMessage ?? null, redirectUrl: form.redirectUrl ?? null },
  };
}

/**
 * The contact's token, and what was sent beside it. `contactToken` is what answers and URLs call it, so it is
 * understood too, unless the form has such a field.
 */
function contactTokenIn(form: Form, { _contactToken: given, ...sent }: Record<string, unknown>) {
  if (given !== undefined || form.fields.some(({ name }) => name === 'contactToken'))
    return { contactToken: given, sent };
  const { contactToken, ...others } = sent;
  return { contactToken, sent: others };
}

/** Accepts a submission as JSON, as a browser's form post, or as multipart. */
export async function submit(call: PublicCall<Record<string, unknown>>): Promise<Reply> {
  const { ctx, deps, params, requestId, body, files } = call;
  const { form, em } = await publicForm(deps, params.id);
  allowOrigin(ctx, form, ownOriginOf(deps));
  // The pages may be framed: the form by its allowed origins (`frame-ancestors`), the thanks by any site.
  ctx.remove('X-Frame-Options');
  const { _token: token, [HONEYPOT]: honeypot, [SHOWN_BOXES]: boxes, ...rest } = body;
  const { contactToken, sent } = contactTokenIn(form, rest);
  const data = ctx.is('json')
    ? sent
    : withUnticked(form.fields, sent, await boxesShown(call, em, form, boxes, contactToken));
  // A page that is shown again has a box of nobody's default: who took a tick away finds it taken away.
  const everyBox = new Set(boxes === undefined ? form.fields.map(({ name }) => name) : []);
  const values = ctx.is('json') ? sent : withUnticked(form.fields, data, everyBox);
  const lostFiles = files.map(({ field }) => field);
  const fromBrowser = ctx.get('origin') !== '' || !ctx.is('json');
  const isTokenValid = isFormToken(deps.links, token, form.id, new Date());
  if (fromBrowser && !isTokenValid) {
    if (wantsPage(ctx)) {
      const shown = await shownTo(deps, em, form, contactToken);
      return hostedPage(ctx, deps, form, { ...shown, values, lostFiles, isOnceMore: true });
    }
    throw new AppError(
      'token_invalid',
      'The form token is missing or has expired; get a new one from /forms/{id}/token',
    );
  }
  // A bot filled the honeypot: it gets a success response, and nothing is stored.
  if (isFilled(honeypot)) return thanks(ctx, form, { contactId: null, submissionId: null });
  const visitor = {
    ipAddress: ctx.ip,
    userAgent: ctx.get('user-agent').slice(0, 500) || null,
    language: preferredLanguage(ctx.get('accept-language')),
    contactId: await findTokenContact(em, deps.links, contactToken, form.tenantId),
    formToken: isTokenValid ? (token as string) : null,
  };
  const again = async (status: number, problem: Pick<ShownForm, 'errors' | 'failure'>): Promise<Reply> => {
    const shown = await shownTo(deps, em, form, contactToken);
    return { ...hostedPage(ctx, deps, form, { ...shown, ...problem, values, lostFiles }), status };
  };
  const origin = { tenantId: form.tenantId, requestId };
  try {
    // For multipart, `admitUpload` has asked the limit of the address, before the body.
    if (!ctx.is('multipart')) await takeOfAddress(deps, form, ctx.ip);
    await takeOfForm(deps, form);
    const result = await submitForm(em, origin, form, data, visitor, {
      captcha: deps.captcha,
      files: await submissionFiles(deps, form, files),
      store: groupsOf(deps, form.tenantId),
    });
    if (result.ok) {
      const { contactId, submissionId, provedId } = result;
      const theirs = provedId === null ? {} : { contactToken: makeContactToken(deps.links, form.tenantId, provedId) };
      return thanks(ctx, form, { contactId, submissionId, ...theirs });
    }
    return wantsPage(ctx)
      ? await again(422, { errors: result.errors })
      : { status: 422, body: { success: false, errors: result.errors } };
  } catch (error) {
    // A page keeps what was typed when the submission can be tried again.
    if (!isTemporary(error) || !wantsPage(ctx)) throw error;
    ctx.set(error.headers ?? {});
    return again(error.status, { failure: failureOf(error) });
  }
}

/**
 * The names of the boxes that a page showed, as it says itself. That cannot make more of a submission than naming the
 * boxes with values could. A page that does not say it, of an earlier release or somebody's own, is taken to show what
 * the form shows now; with a token that is none any more, nobody knows what that page left out.
 */
async function boxesShown(
  { deps }: PublicCall<Record<string, unknown>>,
  em: EntityManager,
  form: Form,
  told: unknown,
  token: unknown,
): Promise<ReadonlySet<string>> {
  if (told !== undefined) return new Set(typeof told === 'string' ? told.split(' ') : []);
  if (!form.fields.some(isBox)) return new Set();
  const shown = await shownTo(deps, em, form, token);
  const isUnknown = form.enableProgressiveProfiling && token !== undefined && shown.contactToken === undefined;
  return new Set(isUnknown ? [] : shown.fields.map(({ name }) => name));
}

/** What a browser gets of a form that is not there, or takes nothing from its page: in a frame, too. */
export function formErrorPage(ctx: Context, error: AppError): Reply {
  const language = languageFor(ctx);
  const imprint = imprintOn(ctx);
  const texts = FORM_TEXTS[language];
  const text = error.status === 404 ? texts.gone : error.status === 403 ? texts.refused : failureText(texts, 'failed');
  ctx.remove('X-Frame-Options');
  return {
    status: error.status,
    body: htmlPage(text, `<p role="alert">${escapeHtml(text)}</p>`, language, imprint),
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Language': language,
      'Cache-Control': 'no-store',
      'Content-Security-Policy': pagePolicy({ frameAncestors: '*', imprint }),
    },
  };
}

function failureOf(error: AppError): ShownForm['failure'] {
  if (error instanceof CaptchaUnchecked) return 'noProof';
  return error instanceof NoRoomForFiles ? 'noRoom' : 'busy';
}

/** What a form shows to the contact of a token, or to a stranger. */
export async function shownTo(deps: Deps, em: EntityManager, form: Form, token: unknown): Promise<ShownTo> {
  const contact = await contactOfToken(deps, em, form, token);
  return {
    fields: shownFields(form, contact),
    knownContact: hidesKnown(form, contact),
    ...(contact ? { contactToken: token as string } : {}),
  };
}
