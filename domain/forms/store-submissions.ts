import { retried } from '../../db/errors.ts';
import { freshEm, preparedHint, rows, sql, type EntityManager } from '../../db/orm.ts';
import type { Form } from '../../db/entities/forms.ts';
import { appendEvents, type NewEvent, type Origin } from '../../events/outbox.ts';
import { saveContacts, type ContactToSave } from '../contacts/people/save-contact-fields.ts';
import { isDuplicateEmail } from '../contact-values/insert-contact.ts';
import type { Language } from '../../lib/text/languages.ts';
import { requestOptIn } from '../choices/subscription/request-opt-in.ts';
import { addToListIfThere } from '../membership/members/change-list-members.ts';
import type { Solved } from './captcha.ts';
import type { FieldError } from './check-submission.ts';
import type { SubmittedValue } from './checks/checked-field.ts';
import { boxTargets, fieldErrors, typedFields } from './contact-fields.ts';
import { claimFormFiles, fileValues, insertFormFiles, type ClaimedFile, type StoredFile } from './files/form-files.ts';
import type { KnownContact } from './known-contact.ts';
import { notifySubmission } from './notify-submission.ts';
import { submissionsOf, type Stored } from './submission-key.ts';

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

export type SubmitResult =
  | {
      ok: true;
      /** Null if the submission was stored before, and its contact was deleted since. */
      contactId: number | null;
      submissionId: number;
      /** The contact whose token the visitor may have: it was made by the submission, or proved by its token. */
      provedId: number | null;
      /** False if the submission was stored before. */
      isNew: boolean;
    }
  | { ok: false; errors: FieldError[] };

/** A submission that may be stored: its fields are right, its CAPTCHA is solved, its files are kept. */
export interface CheckedSubmission {
  form: Form;
  requestId: string | null;
  contactFields: Record<string, string>;
  values: Record<string, SubmittedValue>;
  visitor: Visitor;
  /** See submission-key.ts. */
  key: string | null;
  /** The contact of the visitor's token. */
  proved: KnownContact | null;
  solved: Solved | null;
  stored: readonly StoredFile[];
}

/** The result of a submission that was stored before. */
export function resultOf({ id, contactId, madeContact }: Stored, proved: KnownContact | null): SubmitResult {
  return {
    ok: true,
    contactId,
    submissionId: id,
    provedId: madeContact ? contactId : (proved?.id ?? null),
    isNew: false,
  };
}

/**
 * Stores submissions of one tenant in one transaction, with the contacts, lists, emails and events that follow; returns
 * a result for each, in order. If this throws, nothing of any is stored: the caller tries each alone.
 */
export async function storeSubmissions(
  em: EntityManager,
  tenantId: string,
  submissions: readonly CheckedSubmission[],
): Promise<SubmitResult[]> {
  const requestId = submissions.length === 1 ? submissions[0]!.requestId : null;
  // If another transaction has created one of the contacts in the meantime, the retry finds it.
  return retried(
    () => freshEm(em).transactional((tx) => writeSubmissions(tx, { tenantId, requestId }, submissions)),
    isDuplicateEmail,
  );
}

/** A submission whose contact was saved. */
interface WithContact extends CheckedSubmission {
  contactId: number;
  isNewContact: boolean;
}
type Saved = WithContact & { id: number };

/** Writes each submission that was not stored before, once. */
async function writeSubmissions(
  tx: EntityManager,
  origin: Origin,
  submissions: readonly CheckedSubmission[],
): Promise<SubmitResult[]> {
  const keys = submissions.flatMap(({ key }) => key ?? []);
  const before = await submissionsOf(tx, origin.tenantId, keys);
  const firstOf = new Map(submissions.map((one) => [one.key ?? one, one] as const).reverse());
  const isFirst = (one: CheckedSubmission): boolean => firstOf.get(one.key ?? one) === one;
  const added = submissions.filter((one) => isFirst(one) && !before.has(one.key ?? ''));
  const results = await writeNew(tx, origin, added);
  const resultOfAdded = new Map(added.map((one, index) => [one, results[index]!]));
  return submissions.map((one): SubmitResult => {
    const found = before.get(one.key ?? '');
    if (found) return resultOf(found, one.proved);
    const result = resultOfAdded.get(firstOf.get(one.key ?? one)!)!;
    return result.ok && !isFirst(one) ? { ...result, isNew: false } : result;
  });
}

async function writeNew(
  tx: EntityManager,
  origin: Origin,
  submissions: readonly CheckedSubmission[],
): Promise<SubmitResult[]> {
  if (submissions.length === 0) return [];
  const { tenantId } = origin;
  const asking = await listsThatAsk(tx, tenantId, submissions);
  const asksToConfirm = ({ doubleOptIn, listId }: Form): boolean =>
    (doubleOptIn ?? false) || (listId != null && asking.has(listId));
  const contacts: ContactToSave[] = [];
  for (const { form, contactFields, proved, requestId } of submissions) {
    const { email, ...texts } = contactFields;
    contacts.push({
      email: email!,
      fields: await typedFields(tx, tenantId, texts),
      mode: proved ? 'overwrite' : form.updateExisting,
      boxes: boxTargets(form.fields),
      source: `form:${form.id}`,
      pending: asksToConfirm(form),
      requestId,
    });
  }
  const { results: outcomes, events } = await saveContacts(tx, origin, contacts);
  const withContacts = submissions.flatMap((submission, index): WithContact[] => {
    const { id: contactId, status } = outcomes[index]!;
    return contactId === null ? [] : [{ ...submission, contactId, isNewContact: status === 'created' }];
  });
  for (const { solved } of withContacts) await solved?.redeem(tx, tenantId);
  const saved = await insertSubmissions(tx, tenantId, withContacts);
  const submitted = saved.map(({ form, contactId, id: submissionId, requestId }): NewEvent => ({
    type: 'FORM_SUBMITTED',
    data: { formId: form.id, contactId, submissionId },
    requestId,
  }));
  await appendEvents(tx, origin, [...events, ...submitted]);
  await joinLists(tx, origin, saved, asksToConfirm);
  for (const { form, id, contactId, contactFields, values } of saved)
    await notifySubmission(tx, form, { id, contactId, email: contactFields['email']!, values });
  const remaining = saved.values();
  return submissions.map(({ form, proved }, index): SubmitResult => {
    const { id: contactOf, errors } = outcomes[index]!;
    if (contactOf === null) return { ok: false, errors: fieldErrors(form, errors) };
    const { id: submissionId, contactId, isNewContact } = remaining.next().value!;
    const provedId = isNewContact || proved?.id === contactId ? contactId : null;
    return { ok: true, contactId, submissionId, provedId, isNew: true };
  });
}

/** Inserts submissions and claims their files; returns them with their ids, in order. */
async function insertSubmissions(
  tx: EntityManager,
  tenantId: string,
  submissions: readonly WithContact[],
): Promise<Saved[]> {
  if (submissions.length === 0) return [];
  const now = new Date();
  const written: object[] = [];
  const claimed: ClaimedFile[][] = [];
  for (const { form, contactId, isNewContact: made, key, values, visitor, stored } of submissions) {
    const { ipAddress, userAgent } = visitor;
    const files = await claimFormFiles(tx, tenantId, stored);
    claimed.push(files);
    const data = { ...values, ...fileValues(files) };
    const n = written.length;
    written.push({ n, form: form.id, contact: contactId, made, key, data, ip: ipAddress, agent: userAgent });
  }
  const inserted = await rows<{ id: number }>(
    tx,
    sql`${preparedHint}
    with numbered as materialized (
      select nextval('form_submissions_id_seq') as id, r.*
      from jsonb_to_recordset(${JSON.stringify(written)}::jsonb)
        as r(n int, form bigint, contact bigint, made boolean, key uuid, data jsonb, ip text, agent text)
    ), inserted as (
      insert into form_submissions (id, tenant_id, form_id, contact_id, made_contact, request_key, submission_data, ip_address, user_agent, submitted_at)
      select id, ${tenantId}, form, contact, made, key, data, ip, agent, ${now}::timestamptz from numbered
    ) select id from numbered order by n`,
  );
  const saved = submissions.map((submission, index): Saved => ({ ...submission, id: inserted[index]!.id }));
  for (const [index, { id, form }] of saved.entries())
    await insertFormFiles(tx, { tenantId, formId: form.id, submissionId: id }, claimed[index]!);
  return saved;
}

/** Adds contacts to the lists of their forms. One that must confirm its address is added on confirmation. */
async function joinLists(
  tx: EntityManager,
  origin: Origin,
  saved: readonly Saved[],
  asksToConfirm: (form: Form) => boolean,
): Promise<void> {
  const { tenantId } = origin;
  const joining = new Map<number, Map<number, string | null>>();
  for (const { form, contactId, visitor, requestId } of saved) {
    const listId = form.listId ?? null;
    const isAsked =
      asksToConfirm(form) &&
      (await requestOptIn(
        tx,
        { tenantId, requestId },
        { contactId, formId: form.id, listId, language: visitor.language },
      ));
    if (listId === null || isAsked) continue;
    const contacts = joining.get(listId) ?? joining.set(listId, new Map()).get(listId)!;
    contacts.set(contactId, requestId);
  }
  for (const [listId, requestIds] of [...joining].sort(([a], [b]) => a - b))
    await addToListIfThere(tx, tenantId, listId, [...requestIds.keys()], { requestId: origin.requestId, requestIds });
}

/** The lists of these forms that require addresses to be confirmed. */
async function listsThatAsk(
  tx: EntityManager,
  tenantId: string,
  submissions: readonly CheckedSubmission[],
): Promise<Set<number>> {
  const lists = [...new Set(submissions.flatMap(({ form }) => form.listId ?? []))];
  if (lists.length === 0) return new Set();
  const asking = await rows<{ id: number }>(
    tx,
    sql`${preparedHint}select id from segments where tenant_id = ${tenantId} and id = any(${lists}::bigint[]) and double_opt_in`,
  );
  return new Set(asking.map(({ id }) => id));
}
