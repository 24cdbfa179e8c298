import { pgError } from '../../db/errors.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { Form } from '../../db/entities/forms.ts';
import type { Origin } from '../../events/outbox.ts';
import { addressKey } from '../addresses/address-key.ts';
import { savedFieldViolations } from '../contacts/people/save-contact-fields.ts';
import { formatTags } from '../contact-values/tags-text.ts';
import { UsedBefore, type Captcha } from './captcha.ts';
import { checkSubmission } from './check-submission.ts';
import type { SubmittedValue } from './checks/checked-field.ts';
import { fieldErrors, typedFields } from './contact-fields.ts';
import type { StoredFile } from './files/form-files.ts';
import type { SentFile } from './files/check-file.ts';
import { mappedFields, type MappedField } from './fields.ts';
import { readKnownContact, shownFields, type KnownContact } from './known-contact.ts';
import { resultOf, type CheckedSubmission, type SubmitResult, type Visitor } from './store-submissions.ts';
import { submissionKey, submissionsOf } from './submission-key.ts';

const textOf = (value: SubmittedValue): string => (Array.isArray(value) ? formatTags(value) : String(value));

/** The files of a submission. They are stored only when everything else about it has been checked. */
export interface SubmissionFiles {
  sent: readonly SentFile[];
  store: () => Promise<StoredFile[]>;
  /** Called if nothing is to refer to what `store` has returned. */
  discard: (stored: readonly StoredFile[]) => void;
}

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
    [...mapped].flatMap(([name, target]) => (Object.hasOwn(values, name) ? [[target, textOf(values[name]!)]] : [])),
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
  const key = submissionKey(visitor.formToken, addressKey(contactFields['email']!), values, files.sent);
  const storedBefore = async (): Promise<SubmitResult | null> => {
    if (key === null) return null;
    const found = (await em.transactional((tx) => submissionsOf(tx, tenantId, [key]))).get(key);
    return found ? resultOf(found, proved) : null;
  };
  // Before the CAPTCHA, whose solution may have been used for it.
  const before = form.enableCaptcha || files.sent.length > 0 ? await storedBefore() : null;
  if (before) return before;
  const solved = form.enableCaptcha ? await captcha.check(form.id, data, visitor.ipAddress) : null;
  if (solved && !('redeem' in solved)) return { ok: false, errors: [solved] };
  let stored: readonly StoredFile[] = [];
  try {
    await solved?.assertUnused(em, tenantId);
    stored = await files.store();
    const result = await store({ form, requestId, contactFields, values, visitor, key, proved, solved, stored });
    if (!result.ok || !result.isNew) files.discard(stored);
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

const isKeyTaken = (error: unknown): boolean => pgError(error)?.constraint === 'form_submissions_request_key';

/** Whether a token's contact submits the form: whoever types another address is somebody else. */
function isTheirs(contact: KnownContact, data: Record<string, unknown>, mapped: Map<string, MappedField>): boolean {
  const name = emailFieldOf(mapped);
  const typedIn = Object.hasOwn(data, name) ? data[name] : undefined;
  if (typedIn === undefined || typedIn === null || typedIn === '') return true;
  return typeof typedIn === 'string' && addressKey(typedIn.trim()) === addressKey(contact.email);
}
