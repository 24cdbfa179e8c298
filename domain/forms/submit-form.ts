import { pgError } from '../../db/errors.ts';
import { preparedHint, retriedTransaction, rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Form } from '../../db/entities/forms.ts';
import { appendEvents, type Origin } from '../../events/outbox.ts';
import { addressKey } from '../addresses/address-key.ts';
import { rate } from '../analytics/read-figures.ts';
import { addToListIfThere } from '../segments/membership/change-list-members.ts';
import { typesFor } from '../contacts/values/custom-field-types.ts';
import { parseCustomText, type CustomValue } from '../contacts/values/custom-values.ts';
import { isViolation } from '../common/fields.ts';
import { savedFieldViolations, saveContactFields, type SavedFields } from '../contacts/people/save-contact-fields.ts';
import { requestOptIn } from '../emails/subscription/request-opt-in.ts';
import { AppError, type Violation } from '../common/errors.ts';
import type { Language } from '../common/languages.ts';
import { readAbandonment } from './abandonment.ts';
import { UsedBefore, type Captcha, type Solved } from './captcha.ts';
import { checkSubmission, type FieldError } from './check-submission.ts';
import type { SubmittedValue } from './checks/checked-field.ts';
import { claimFormFiles, fileValues, insertFormFiles, type StoredFile } from './files/form-files.ts';
import type { SentFile } from './files/check-file.ts';
import { customFieldOf, mappedFields, type MappedField } from './fields.ts';
import { readKnownContact, shownFields, type KnownContact } from './known-contact.ts';
import { notifySubmission } from './notify-submission.ts';
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
 * can be used only once. A submission that a browser sends again is not stored again: its result is that of the first. Throws CaptchaUnchecked if it cannot be checked. `inLine` waits for a turn, and then writes.
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
    inLine,
  }: { captcha: Captcha; files: SubmissionFiles; inLine: <T>(write: () => Promise<T>) => Promise<T> },
): Promise<SubmitResult> {
  const known = visitor.contactId === null ? null : await readKnownContact(em, form, visitor.contactId);
  const mapped = mappedFields(form.fields);
  const proved = known && isTheirs(known, data, mapped) ? known : null;
  const shown = new Set(shownFields(form, proved));
  const fields = form.fields.map((field) => (shown.has(field) ? field : { ...field, required: false }));
  const { values, errors } = checkSubmission(fields, data, files.sent);
  const contactFields = Object.fromEntries(
    [...mapped].flatMap(([name, target]) => (Object.hasOwn(values, name) ? [[target, String(values[name])]] : [])),
  );
  const emailField = [...mapped].find(([, target]) => target === 'email')?.[0] ?? 'email';
  if (proved) contactFields['email'] ??= proved.email;
  if (!contactFields['email'] && !errors.some((error) => error.field === emailField)) {
    errors.push({ field: emailField, code: 'required', message: 'is required: it identifies the contact' });
  }
  // Report violations of a contact field as errors of the form field that fills it.
  const nameOf = new Map([...mapped].map(([name, target]) => [`/${target.replace('.', '/')}`, name]));
  const fieldErrors = (violations: readonly Violation[]): FieldError[] =>
    violations.map(({ path, code, message }) => ({ field: nameOf.get(path) ?? path.slice(1), code, message }));
  if (errors.length > 0) {
    const others = await em.transactional(async (tx) => {
      const { email, ...texts } = contactFields;
      return savedFieldViolations(tx, origin.tenantId, {
        ...(await typed(tx, origin.tenantId, texts)),
        ...(email ? { email } : {}),
      });
    });
    return { ok: false, errors: [...errors, ...fieldErrors(others)] };
  }
  const key = submissionKey(visitor.formToken, values, files.sent);
  const storedBefore = async (): Promise<SubmitResult | null> => {
    const found = key === null ? null : await submissionOf(em, origin.tenantId, key);
    if (!found) return null;
    const { id: submissionId, contactId } = found;
    return { ok: true, contactId, submissionId, provedId: proved?.id ?? null };
  };
  const before = await storedBefore();
  if (before) return before;
  const solved = form.enableCaptcha ? await captcha.check(data, visitor.ipAddress) : null;
  if (solved && !('redeem' in solved)) return { ok: false, errors: [solved] };
  const stored = await files.store();
  try {
    return await inLine(() => store(em, origin, form, { contactFields, values, visitor, key, proved, solved, stored }));
  } catch (error) {
    files.discard(stored);
    // Sent twice at the same moment: the other one was faster.
    const twin = error instanceof UsedBefore || isKeyTaken(error) ? await storedBefore() : null;
    if (twin) return twin;
    if (error instanceof UsedBefore) return { ok: false, errors: [error.error] };
    if (!(error instanceof AppError && error.code === 'validation_failed')) throw error;
    return { ok: false, errors: fieldErrors(error.errors ?? []) };
  }
}

const isKeyTaken = (error: unknown): boolean =>
  pgError(error)?.constraint === 'form_submissions_tenant_id_request_key_key';

/** Whether a token's contact submits the form: whoever types another address is somebody else. */
function isTheirs(contact: KnownContact, data: Record<string, unknown>, mapped: Map<string, MappedField>): boolean {
  const name = [...mapped].find(([, target]) => target === 'email')?.[0];
  const typedIn = name !== undefined && Object.hasOwn(data, name) ? data[name] : undefined;
  if (typedIn === undefined || typedIn === null || typedIn === '') return true;
  return typeof typedIn === 'string' && addressKey(typedIn.trim()) === addressKey(contact.email);
}

interface Submission {
  contactFields: Record<string, string>;
  values: Record<string, SubmittedValue>;
  visitor: Visitor;
  key: string | null;
  /** The contact of the visitor's token. */
  proved: KnownContact | null;
  solved: Solved | null;
  stored: readonly StoredFile[];
}

async function store(
  em: EntityManager,
  origin: Origin,
  form: Form,
  { contactFields, values, visitor, key, proved, solved, stored }: Submission,
): Promise<SubmitResult> {
  const { email, ...texts } = contactFields;
  const { ipAddress, userAgent, language } = visitor;
  return retriedTransaction(em, async (tx) => {
    await solved?.redeem(tx, origin.tenantId);
    const fields = await typed(tx, origin.tenantId, texts);
    const pending = await asksToConfirm(tx, form);
    const { contactId, created } = await saveContactFields(tx, origin, {
      email: email!,
      fields,
      mode: proved ? 'overwrite' : form.updateExisting,
      source: `form:${form.id}`,
      pending,
    });
    const files = await claimFormFiles(tx, origin.tenantId, stored);
    const submitted = JSON.stringify({ ...values, ...fileValues(files) });
    const [submission] = await rows<{ id: number }>(
      tx,
      sql`${preparedHint}
      insert into form_submissions (tenant_id, form_id, contact_id, request_key, submission_data, ip_address, user_agent, submitted_at)
      values (${origin.tenantId}, ${form.id}, ${contactId}, ${key}, ${submitted}, ${ipAddress}, ${userAgent}, ${new Date()})
      returning id`,
    );
    const submissionId = submission!.id;
    await insertFormFiles(tx, { tenantId: origin.tenantId, formId: form.id, submissionId }, files);
    // A contact that must confirm its address is added to the list on confirmation.
    const isAsked =
      pending &&
      (await requestOptIn(tx, origin, { contactId, formId: form.id, listId: form.listId ?? null, language }));
    if (form.listId && !isAsked)
      await addToListIfThere(tx, origin.tenantId, form.listId, [contactId], origin.requestId);
    await appendEvents(tx, origin, [
      {
        type: 'FORM_SUBMITTED',
        entity: `contact/${contactId}`,
        data: { formId: form.id, contactId, submissionId },
      },
    ]);
    await notifySubmission(tx, form, { id: submissionId, email: email!, values });
    return { ok: true, contactId, submissionId, provedId: created || proved?.id === contactId ? contactId : null };
  });
}

/** Whether the form, or its list, requires addresses to be confirmed. */
async function asksToConfirm(tx: EntityManager, { tenantId, doubleOptIn, listId }: Form): Promise<boolean> {
  if (doubleOptIn || listId == null) return doubleOptIn ?? false;
  const asking = await rows(
    tx,
    sql`${preparedHint}select 1 from segments where tenant_id = ${tenantId} and id = ${listId} and double_opt_in`,
  );
  return asking.length > 0;
}

/**
 * Converts texts to the contact's fields. A text that does not fit the type of its custom field stays a text, so that
 * it is rejected together with all other violations.
 */
async function typed(tx: EntityManager, tenantId: string, texts: Record<string, string>): Promise<SavedFields> {
  const custom = Object.keys(texts).filter((target) => customFieldOf(target) !== null);
  const types = await typesFor(tx, tenantId, custom);
  const fields: Record<string, string> = {};
  const customFields: Record<string, CustomValue> = {};
  for (const [target, text] of Object.entries(texts)) {
    const name = customFieldOf(target);
    const type = name === null ? undefined : types.get(name);
    const value = type && parseCustomText(type, text);
    if (name === null) fields[target] = text;
    // Empty values are ignored, as are values whose custom field was deleted since the form was loaded.
    else if (value != null) customFields[name] = isViolation(value) ? text : value;
  }
  return { ...fields, customFields };
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
