import { Form } from '../../db/entities/forms.ts';
import { AppError } from '../../lib/checks/errors.ts';
import { createForm, deleteForm, findForm, formViolations, updateForm } from '../../domain/forms/forms.ts';
import { listForms, listSubmissions } from '../../domain/forms/list-forms.ts';
import { submissionBytes } from '../../domain/forms/submission-size.ts';
import { readFormStats } from '../../domain/forms/form-stats.ts';
import { escapeHtml } from '../pages/html.ts';
import { apiUrlOf } from '../route/api-url.ts';
import { IdParams, listOf } from '../route/schemas.ts';
import { admitUpload } from './admit-upload.ts';
import { formExportRoutes } from './export-routes.ts';
import { formFileRoutes } from './file-routes.ts';
import { countAbandonment, countView } from './form-counts.ts';
import { makeFormToken } from './form-token.ts';
import { formHtml } from './pages.ts';
import { currentScriptReply, namedScriptReply, scriptTag } from './script.ts';
import { presentForm, presentPublicForm, presentSubmission } from './presenter.ts';
import * as schema from './schema.ts';
import {
  allowOrigin,
  formErrorPage,
  ownOriginOf,
  publicForm,
  publicSettings,
  showPage,
  shownTo,
  submit,
} from './submit.ts';
import {
  assertIfMatch,
  assertUnchanged,
  changedReadOnly,
  created,
  noContent,
  PUBLIC_BODY_BYTES,
  route,
  type Call,
  type RouteSpec,
} from '../route/route.ts';

const getForm = ({ em, params }: Pick<Call<{ id: number }, unknown, unknown>, 'em' | 'params'>): Promise<Form> =>
  findForm(em, params.id);

const TWO_STEPS =
  '<!-- In two steps: this form leads to its hosted page, where its visitor presses the button once more, and nothing is stored before. The code of type=javascript takes one step, and is recommended. -->';

/** The code to paste into a page. The script gives a frame the height of its content; without it, the height stays. */
function embedCode(type: 'javascript' | 'iframe' | 'html', form: Form, apiUrl: string): string {
  const url = `${apiUrl}/forms/${form.id}`;
  if (type === 'html') return `${TWO_STEPS}\n${formHtml(form, `${url}/submit`)}`;
  const place =
    type === 'iframe'
      ? `<iframe src="${url}/page" title="${escapeHtml(form.name)}" width="100%" height="600" loading="lazy"></iframe>`
      : `<div data-perennial-form="${form.id}"></div>`;
  return `${place}\n${scriptTag(apiUrl)}`;
}

export const formRoutes: RouteSpec[] = [
  route({
    method: 'GET',
    path: '/forms',
    operationId: 'listForms',
    summary: 'List forms',
    description: 'DRAFT and ARCHIVED ones too, which take no submissions.',
    access: 'forms:read',
    query: schema.FormQuery,
    responses: { 200: { schema: listOf(schema.FormAnswer) } },
    handler: async ({ em, query }) => ({ body: await listForms(em, query, (found) => found.map(presentForm)) }),
  }),
  route({
    method: 'POST',
    path: '/forms',
    operationId: 'createForm',
    summary: 'Create a form',
    description:
      'ACTIVE unless `status` says otherwise, so it takes submissions at once. A field named like a contact field fills it; `mapTo` names another one. An input whose every value that contact field would refuse, or an option that it lacks, is a 400: nobody could submit the form. The code for a page comes from `GET /forms/{id}/embed`.',
    access: 'forms:write',
    body: schema.FormCreate,
    responses: { 201: { schema: schema.FormAnswer } },
    check: ({ tx, caller, body }) => formViolations(tx, caller.tenantId, body),
    handler: async ({ em, principal, body }) => {
      const form = await createForm(em, principal.tenantId, body);
      return created(`/forms/${form.id}`, presentForm(form));
    },
  }),
  route({
    method: 'GET',
    path: '/forms/{id}',
    operationId: 'getForm',
    summary: 'Get a form',
    description: 'As its editors see it; `GET /forms/{id}/fields` is what visitors get.',
    access: 'forms:read',
    params: IdParams,
    responses: { 200: { schema: schema.FormAnswer } },
    handler: async (call) => ({ body: presentForm(await getForm(call)) }),
  }),
  route({
    method: 'PUT',
    path: '/forms/{id}',
    operationId: 'updateForm',
    summary: 'Change a form',
    description:
      '`fields` replaces the whole list; fields whose name stays keep their id, and submissions keep all their values. Pages that embed the form show the change at their next load.',
    access: 'forms:write',
    params: IdParams,
    body: schema.FormUpdate,
    responses: { 200: { schema: schema.FormAnswer } },
    check: async ({ tx, caller, params, body, readOnly }) => {
      const current = await tx.findOne(Form, { id: params.id ?? 0 });
      return current
        ? [
            ...changedReadOnly(readOnly, presentForm(current)),
            ...(await formViolations(tx, caller.tenantId, body, current)),
          ]
        : [];
    },
    handler: async ({ em, params, body, readOnly, ifMatch }) => ({
      body: presentForm(
        await updateForm(em, params.id, body, (current) => {
          assertIfMatch(ifMatch, current.version);
          assertUnchanged(readOnly, presentForm(current));
        }),
      ),
    }),
  }),
  route({
    method: 'DELETE',
    path: '/forms/{id}',
    operationId: 'deleteForm',
    summary: 'Delete a form and its submissions with their files',
    description:
      'Pages that embed it show it no more. Its figures in analytics stay. 409 `in_use` while an active campaign refers to it.',
    access: 'forms:write',
    params: IdParams,
    responses: { 204: { description: 'Deleted' } },
    errors: ['in_use', 'precondition_failed'],
    handler: async ({ em, caller, params, ifMatch }) => {
      await deleteForm(em, caller, params.id, (current) => assertIfMatch(ifMatch, current.version));
      return noContent;
    },
  }),
  route({
    method: 'GET',
    path: '/forms/{id}/embed',
    operationId: 'getFormEmbed',
    summary: 'Get the code that embeds the form in a page',
    description:
      '`javascript` renders the form in the page, takes one step and is recommended; `iframe` shows the hosted page; `html` is a plain form in two steps: its visitors press the button once more on the hosted page before anything is stored. No token of the API is in it.',
    access: 'forms:read',
    params: IdParams,
    query: schema.EmbedQuery,
    responses: { 200: { schema: schema.Embed } },
    handler: async (call) => {
      const form = await getForm(call);
      return { body: { type: call.query.type, code: embedCode(call.query.type!, form, apiUrlOf(call.deps)) } };
    },
  }),
  route({
    method: 'GET',
    path: '/forms/{id}/stats',
    operationId: 'getFormStats',
    summary: 'Get views, submissions and conversion rate of a form',
    description: 'A view counts once per showing of the form. `abandonment` tells which field visitors left last.',
    access: 'forms:read',
    params: IdParams,
    responses: { 200: { schema: schema.FormStats } },
    handler: async (call) => {
      await getForm(call);
      return { body: await readFormStats(call.em, call.params.id) };
    },
  }),
  route({
    method: 'GET',
    path: '/forms/{id}/submissions',
    operationId: 'listFormSubmissions',
    summary: 'List submissions',
    description:
      '`submissionData` has the values by field name; files are `{fileId, …}`, to be downloaded with a token.',
    access: 'forms:read',
    params: IdParams,
    query: schema.SubmissionQuery,
    responses: { 200: { schema: listOf(schema.SubmissionAnswer) } },
    handler: async (call) => {
      const { em, params, query } = call;
      await getForm(call);
      return { body: await listSubmissions(em, params.id, query, (found) => found.map(presentSubmission)) };
    },
  }),
  route({
    method: 'GET',
    path: '/forms/{id}/page',
    operationId: 'getFormPage',
    summary: 'The hosted page of a form; counts a view',
    description:
      'With `contactToken`, the form greets a known contact as `GET /forms/{id}/fields` does. 404 unless the form is ACTIVE.',
    access: 'public',
    openQuery: true,
    params: IdParams,
    query: schema.PublicQuery,
    responses: { 200: { contentType: 'text/html', description: 'The page' } },
    errorPage: formErrorPage,
    handler: showPage,
  }),
  route({
    method: 'GET',
    path: '/forms/{id}/fields',
    operationId: 'getFormFields',
    summary: 'Get the fields that the embed script renders; counts a view',
    description:
      'With progressive profiling and a valid `contactToken`, fields whose values are known are left out, and the first of `progressiveFields` that is not known is added. No value is shown.',
    access: 'public',
    openQuery: true,
    params: IdParams,
    query: schema.FieldsQuery,
    responses: { 200: { schema: schema.PublicForm } },
    errors: ['origin_not_allowed'],
    handler: async ({ ctx, deps, params, query }) => {
      const { form, em } = await publicForm(deps, params.id);
      allowOrigin(ctx, form, ownOriginOf(deps));
      if (ctx.method === 'GET' && !query.again) await countView(deps, form);
      const shown = await shownTo(deps, em, form, query.contactToken);
      return { body: presentPublicForm(form, shown, publicSettings(deps)) };
    },
  }),
  route({
    method: 'GET',
    path: '/forms/{id}/captcha',
    operationId: 'getFormCaptcha',
    summary: 'Get an ALTCHA challenge, whose solution is sent with a submission',
    description:
      'The solution is the field `altcha`: base64 of JSON `{algorithm, challenge, number, salt, signature}`, where `challenge` is the hexadecimal SHA-256 of `salt` followed by `number`. It can be used once, for this form, within 20 minutes.',
    access: 'public',
    openQuery: true,
    params: IdParams,
    responses: { 200: { schema: schema.Challenge } },
    errors: ['origin_not_allowed'],
    handler: async ({ ctx, deps, params }) => {
      const { form } = await publicForm(deps, params.id);
      allowOrigin(ctx, form, ownOriginOf(deps));
      const challenge = form.enableCaptcha ? await deps.captcha.challenge(form.id) : null;
      if (!challenge) throw new AppError('not_found', 'The form has no challenge of the service');
      return { body: challenge };
    },
  }),
  route({
    method: 'GET',
    path: '/forms/{id}/token',
    operationId: 'getFormToken',
    summary: 'Get a signed token for submitting from a browser',
    description:
      'Valid for 12 hours and for this form; send it as `_token`. Submissions from a browser need it, JSON from a server does not.',
    access: 'public',
    openQuery: true,
    params: IdParams,
    responses: { 200: { schema: schema.Token } },
    errors: ['origin_not_allowed'],
    handler: async ({ ctx, deps, params }) => {
      const { form } = await publicForm(deps, params.id);
      allowOrigin(ctx, form, ownOriginOf(deps));
      return { body: makeFormToken(deps.links, form.id, new Date()) };
    },
  }),
  route({
    method: 'GET',
    path: '/forms/{id}/script',
    operationId: 'getFormScript',
    summary: 'Get the current script of forms, for one form',
    description: 'Older embed codes load it: its name stays, and its content changes with the service.',
    access: 'public',
    openQuery: true,
    params: IdParams,
    responses: { 200: { contentType: 'text/javascript', description: 'A script' } },
    handler: async ({ ctx, deps, params }) => {
      await publicForm(deps, params.id);
      return currentScriptReply(ctx);
    },
  }),
  route({
    method: 'GET',
    path: '/forms/assets/{name}',
    operationId: 'getFormAsset',
    summary: 'Get a script of forms by its name, which stands for its content',
    description: 'Embed codes load it, with its hash in `integrity`. It never changes and stays available.',
    access: 'public',
    openQuery: true,
    params: schema.AssetParams,
    responses: { 200: { contentType: 'text/javascript', description: 'A script' } },
    handler: async ({ ctx, params }) => namedScriptReply(ctx, params.name),
  }),
  route({
    method: 'POST',
    path: '/forms/{id}/submit',
    operationId: 'submitForm',
    summary: 'Submit a form',
    access: 'public',
    openQuery: true,
    description:
      'A server sends JSON without any token. What a browser sends needs `_token`, may have `_contactToken`, and leaves `_website` empty. ' +
      'If the form or its list uses double opt-in, a new contact is `pending` until it confirms its address with the link in an email; only then does it join the list. ' +
      'A field without a value is not answered: a JSON body that does not name a checkbox, consent or multiselect does not untick it. ' +
      'Files are sent as parts of a multipart body, one for each file field; what a file is, is judged by its content.',
    params: IdParams,
    body: schema.Submission,
    bodyTypes: ['json', 'form', 'multipart'],
    largerBody: async ({ deps, params }) =>
      PUBLIC_BODY_BYTES + submissionBytes((await publicForm(deps, params.id)).form.fields),
    files: {
      rules: admitUpload,
      limits: 'one file of up to `FORM_FILE_MAX_BYTES` (default 10 MiB) for each file field',
    },
    responses: {
      200: { schema: schema.Submitted, contentType: 'text/html', description: 'Accepted; browsers get an HTML page' },
      303: { description: "Browsers are redirected to the form's redirectUrl" },
      422: {
        schema: schema.SubmitErrors,
        contentType: 'text/html',
        description: 'Nothing was created; browsers get the form page with the errors',
      },
    },
    errors: [
      'token_invalid',
      'origin_not_allowed',
      'request_timeout',
      'unavailable',
      'captcha_unavailable',
      'no_room_for_files',
    ],
    errorPage: formErrorPage,
    handler: submit,
  }),
  route({
    method: 'POST',
    path: '/forms/{id}/abandon',
    operationId: 'abandonForm',
    summary: 'Count that a visitor left the form',
    access: 'public',
    openQuery: true,
    description:
      'For `navigator.sendBeacon`, which sends text: when a page is left or hidden, and with `returned` when its visitor comes back to it. Only the name of the field is counted, nothing about the visitor; unknown names are ignored.',
    params: IdParams,
    body: schema.Abandonment,
    bodyTypes: ['json', 'text'],
    bodyLimit: 1024,
    responses: { 204: { description: 'Counted' } },
    errors: ['origin_not_allowed'],
    handler: async ({ ctx, deps, params, body }) => {
      const { form } = await publicForm(deps, params.id);
      allowOrigin(ctx, form, ownOriginOf(deps));
      await countAbandonment(deps, form, body);
      return noContent;
    },
  }),
  ...formExportRoutes,
  ...formFileRoutes,
];
