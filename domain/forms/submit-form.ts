import { pgError } from '../../db/errors.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Form } from '../../db/entities/forms.ts';
import type { Origin } from '../../events/outbox.ts';
import { addressKey } from '../addresses/address-key.ts';
import { rate } from '../analytics/read-figures.ts';
import { savedFieldViolations } from '../contacts/people/save-contact-fields.ts';
import type { Language } from '../common/languages.ts';
import { readAbandonment } from './abandonment.ts';
import { UsedBefore, type Captcha } from './captcha.ts';
import { checkSubmission, type FieldError } from './check-submission.ts';
import { fieldErrors, typedFields } from './contact-fields.ts';
import type { StoredFile } from './files/form-files.ts';
import type { SentFile } from './files/check-file.ts';
import { mappedFields, type MappedField } from './fields.ts';
import { readKnownContact, shownFields, type KnownContact } from './known-contact.ts';
import type { CheckedSubmission } from './store-submissions.ts';
import { submissionKey, submissionOf } from './submission-key.ts';

/** Who submits a form, and how. */
export interface Visitor {
  ipAddress: string | null;
  userAgent: string | null;
  /** The visitor's language. */
  language: Language;
  /** The contact of a valid token that came with the submission. */
  contactId: number | null;
  /** The valid form token that came with the submission. */
  formToken: string | null;
}

/** The files of a submission. They are stored only when everything else about it has been checked. */
export interface SubmissionFiles {
  sent: readonly SentFile[];
  store: () => Promise<StoredFile[]>;
  /** Called if nothing is to refer to what `store` has returned. */
  discard: (stored: readonly StoredFile[]) => void;
}

export type SubmitResult =
  | {
      ok: true;
      /** Null if the submission was stored before, and its contact was deleted since. */
      contactId: number | null;
      submissionId: number;
      /** The contact whose token the visitor may have: it was made by the submission, or proved by its token. */
      provedId: number | null;
    }
  | { ok: false; errors: FieldError[] };

/**
 * Accepts a submission: checks it, creates or updates the contact, stores it and writes FORM_SUBMITTED, in one
 * transaction. With any error nothing is stored. The CAPTCHA, if the form has one, is checked last, because a solution
 * can be used only once. A submission that a browser sends again is not stored again: its result is that of the first.
 * Throws CaptchaUnchecked if the CAPTCHA cannot be checked. `store` calls `storeSubmissions`, alone or with others.
 */
export async function submitForm(
  em: EntityManager,
  origin: Origin,
  form: Form,
  data: Record<string, unknown>,
  visitor: Visitor,
  {
    captcha,
    files,
    store,
  }: { captcha: Captcha; files: SubmissionFiles; store: (submission: CheckedSubmission) => Promise<SubmitResult> },
): Promise<SubmitResult> {
  const { tenantId, requestId } = origin;
  const known = visitor.contactId === null ? null : await readKnownContact(em, form, visitor.contactId);
  const mapped = mappedFields(form.fields);
  const proved = known && isTheirs(known, data, mapped) ? known : null;
  const shown = new Set(shownFields(form, proved));
  const fields = form.fields.map((field) => (shown.has(field) ? field : { ...field, required: false }));
  const { values, errors } = checkSubmission(fields, data, files.sent);
  const contactFields = Object.fromEntries(
    [...mapped].flatMap(([name, target]) => (Object.hasOwn(values, name) ? [[target, String(values[name])]] : [])),
  );
  const emailField = emailFieldOf(mapped);
  if (proved) contactFields['email'] ??= proved.email;
  if (!contactFields['email'] && !errors.some((error) => error.field === emailField)) {
    errors.push({ field: emailField, code: 'required', message: 'is required: it identifies the contact' });
  }
  if (errors.length > 0) {
    const others = await em.transactional(async (tx) => {
      const { email, ...texts } = contactFields;
      return savedFieldViolations(tx, tenantId, {
        ...(await typedFields(tx, tenantId, texts)),
        ...(email ? { email } : {}),
      });
    });
    return { ok: false, errors: [...errors, ...fieldErrors(form, others)] };
  }
  const key = submissionKey(visitor.formToken, values, files.sent);
  const storedBefore = async (): Promise<SubmitResult | null> => {
    const found = key === null ? null : await submissionOf(em, tenantId, key);
    if (!found) return null;
    const { id: submissionId, contactId } = found;
    return { ok: true, contactId, submissionId, provedId: proved?.id ?? null };
  };
  // Before the CAPTCHA, whose solution may have been used for it.
  const before = form.enableCaptcha || files.sent.length > 0 ? await storedBefore() : null;
  if (before) return before;
  const solved = form.enableCaptcha ? await captcha.check(data, visitor.ipAddress) : null;
  if (solved && !('redeem' in solved)) return { ok: false, errors: [solved] };
  const stored = await files.store();
  try {
    const result = await store({ form, requestId, contactFields, values, visitor, key, proved, solved, stored });
    if (!result.ok) files.discard(stored);
    return result;
  } catch (error) {
    files.discard(stored);
    const isTwice = error instanceof UsedBefore || isKeyTaken(error);
    const twin = isTwice ? await storedBefore() : null;
    if (twin) return twin;
    if (error instanceof UsedBefore) return { ok: false, errors: [error.error] };
    throw error;
  }
}

const emailFieldOf = (mapped: Map<string, MappedField>): string =>
  [...mapped].find(([, target]) => target === 'email')?.[0] ?? 'email';

const isKeyTaken = (error: unknown): boolean =>
  pgError(error)?.constraint === 'form_submissions_tenant_id_request_key_key';

/** Whether a token's contact submits the form: whoever types another address is somebody else. */
function isTheirs(contact: KnownContact, data: Record<string, unknown>, mapped: Map<string, MappedField>): boolean {
  const name = emailFieldOf(mapped);
  const typedIn = Object.hasOwn(data, name) ? data[name] : undefined;
  if (typedIn === undefined || typedIn === null || typedIn === '') return true;
  return typeof typedIn === 'string' && addressKey(typedIn.trim()) === addressKey(contact.email);
}

/**
 * Counts a view of the form in the analytics windows: in total and per form, always in this order, to avoid deadlocks.
 */
export async function countView(em: EntityManager, form: Form): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    insert into analytics_windows (tenant_id, metric, dimension, dimension_id, at, count)
    select ${form.tenantId}, 'form_views', d, id, date_bin('5 minutes', now(), 'epoch'), 1 from (values ('', 0), ('form', ${form.id}::bigint)) v(d, id) order by d
    on conflict (tenant_id, metric, dimension, dimension_id, at) do update set count = analytics_windows.count + 1`,
    ),
  );
}

/**
 * Views, submissions and their ratio, in total and per day (UTC), and how often the form was left by the field that was
 * touched last.
 */
export async function readFormStats(em: EntityManager, formId: number) {
  return em.transactional(async (tx) => {
    const series = await rows<{ at: Date; views: number; submissions: number }>(
      tx,
      sql`
      select coalesce(v.day, s.day)::timestamptz as at, coalesce(v.views, 0)::bigint as views, coalesce(s.submissions, 0) as submissions
      from (
        select at::date as day, sum(count) as views from analytics_windows
        where metric = 'form_views' and dimension = 'form' and dimension_id = ${formId} group by 1) v
      full join (select submitted_at::date as day, count(*) as submissions from form_submissions where form_id = ${formId} group by 1) s on s.day = v.day
      order by 1`,
    );
    const views = series.reduce((sum, day) => sum + day.views, 0);
    const submissions = series.reduce((sum, day) => sum + day.submissions, 0);
    const abandonment = await readAbandonment(tx, formId);
    return { views, submissions, conversionRate: rate(submissions, views), abandonment, series };
  });
}
