import type { Contact } from '../../../db/entities/contacts.ts';
import { retried } from '../../../db/errors.ts';
import { freshEm, type EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent, type Origin } from '../../../events/outbox.ts';
import type { Violation } from '../../../lib/checks/errors.ts';
import { refreshMemberships } from '../../membership/members/refresh-memberships.ts';
import { combineViolations } from '../../../lib/checks/valid-part.ts';
import { mapYielding } from '../../../lib/async/turn.ts';
import { applyValues } from '../../contact-values/apply-values.ts';
import {
  companiesByName,
  contactsByKey,
  existingCompanies,
  insertContacts,
  resolveCompanies,
  setCompanies,
  writeContacts,
} from './batch-rows.ts';
import {
  checkContactValues,
  type ContactInput,
  type ContactStatus,
  type ContactValues,
} from '../../contact-values/contact-values.ts';
import { typesFor } from '../../contact-values/custom-field-types.ts';
import { mergedCustomFields } from '../../contact-values/custom-values.ts';
import { companyNameKey } from '../../contact-values/find-or-create-company.ts';
import { onlyEmpty } from '../../contact-values/only-empty.ts';
import { COMPANY_TWICE, noCompany } from '../../contact-values/resolve-company.ts';
import { statusViolations } from '../../contact-values/status-rules.ts';
import { suppressedStatuses, suppressUnsubscribed } from '../../contact-values/suppressed-statuses.ts';
import { isDuplicateEmail } from '../../contact-values/insert-contact.ts';
import { optionalValues } from '../../contact-values/optional-fields.ts';

/** A row of a batch: its violations so far, and its valid fields; null if the row is invalid as a whole. */
export interface BatchRow {
  input: ContactInput | null;
  violations: Violation[];
  /** Sets only what is empty in an existing contact. */
  fillsEmpty?: boolean;
  /** The fields (`x`, `customFields.x`) that boxes of a form set: of them, that a box was not ticked is empty, too. */
  boxes?: ReadonlySet<string>;
  /** More values of a contact that the row creates. */
  ofNew?: { status?: ContactStatus; source?: string };
  /** The request id of the row's events, if it is not that of the batch. */
  requestId?: string | null;
}

export interface BatchResult {
  status: 'created' | 'updated' | 'unchanged' | 'rejected';
  id: number | null;
  errors: Violation[];
}

/** A contact that rows of the batch create or change. */
interface Draft {
  /** The contact after the change; a new one has no id yet. */
  contact: Contact;
  isNew: boolean;
  oldStatus: ContactStatus;
  changed: Set<string>;
  /** The name of a company to create or find for it. */
  companyName: string | null;
  /** That of the last row that changed it. */
  requestId: string | null;
}

/**
 * Creates contacts and, in the mode `upsert`, changes existing ones, identified by address. Has the same effect as
 * writing the rows one by one (of two rows with one address the second changes what the first created), but works on
 * sets, in one transaction. A rejected row does not affect the others. Returns one result per row.
 */
export async function batchContacts(
  em: EntityManager,
  origin: Origin,
  mode: 'upsert' | 'create',
  batch: readonly BatchRow[],
): Promise<BatchResult[]> {
  // If another transaction has created one of the contacts in the meantime, the retry finds it.
  return retried(
    () =>
      freshEm(em).transactional(async (tx) => {
        const { results, events } = await writeBatch(tx, origin, mode, batch);
        await appendEvents(tx, origin, events);
        return results;
      }),
    isDuplicateEmail,
  );
}

/**
 * `batchContacts` in the transaction `tx`, which fails if another one creates a contact meanwhile (`isDuplicateEmail`).
 * The caller writes the events.
 */
export async function writeBatch(
  tx: EntityManager,
  origin: Origin,
  mode: 'upsert' | 'create',
  batch: readonly BatchRow[],
  { needsNames = true }: { needsNames?: boolean } = {},
): Promise<{ results: BatchResult[]; events: NewEvent[] }> {
  const { tenantId } = origin;
  const types = await typesFor(
    tx,
    tenantId,
    batch.flatMap(({ input }) => Object.keys(input?.customFields ?? {})),
  );
  const checked = await mapYielding(batch, ({ input, violations: told, ...row }) => ({
    input,
    told,
    row: { ...row, requestId: row.requestId ?? origin.requestId },
    ...checkContactValues(input ?? {}, types),
  }));
  const keys = [...new Set(checked.flatMap(({ values }) => values.emailKey ?? []))];
  const known = await contactsByKey(tx, tenantId, keys);
  const suppressed = await suppressedStatuses(
    tx,
    tenantId,
    keys.filter((key) => !known.has(key)),
  );
  const companies = await existingCompanies(
    tx,
    tenantId,
    checked.flatMap(({ values }) => values.companyId ?? []),
  );

  const named = await companiesByName(
    tx,
    tenantId,
    checked.flatMap(({ values }) => values.company ?? []),
  );
  const drafts = new Map([...known].map(([key, contact]): [string, Draft] => [key, draftOf(contact, false)]));
  const outcomes = checked.map(
    ({
      input,
      told,
      row,
      values,
      violations,
    }): { key: string; status: 'created' | 'updated' | 'unchanged' } | Violation[] => {
      if (input === null) return told;
      const draft = drafts.get(values.emailKey ?? '');
      const errors = combineViolations(told, [
        ...violations,
        ...rowViolations(values, draft, mode, companies),
        ...(draft || !needsNames ? [] : missingNames(input)),
      ]);
      if (errors.length > 0) return errors;
      const key = values.emailKey!;
      if (draft && row.fillsEmpty) keepPresent(draft, values, row.boxes);
      // If no company has the name yet, `save` creates it.
      const companyId = values.company == null ? undefined : named.get(companyNameKey(values.company));
      if (companyId !== undefined) Object.assign(values, { company: undefined, companyId });
      else if (values.company === null)
        Object.assign(values, { company: undefined, companyId: values.companyId ?? null });
      if (draft) {
        const isChanged = change(draft, values);
        if (isChanged) draft.requestId = row.requestId;
        return { key, status: isChanged ? 'updated' : 'unchanged' };
      }
      const { requestId } = row;
      drafts.set(key, { ...newDraft(tenantId, { ...values, ...row.ofNew }, suppressed.get(key)), requestId });
      return { key, status: 'created' };
    },
  );

  const events = await save(tx, origin, [...drafts.values()]);
  const results = outcomes.map((outcome): BatchResult =>
    Array.isArray(outcome)
      ? { status: 'rejected', id: null, errors: outcome }
      : { status: outcome.status, id: drafts.get(outcome.key)!.contact.id, errors: [] },
  );
  return { results, events };
}

function rowViolations(
  values: ContactValues,
  draft: Draft | undefined,
  mode: 'upsert' | 'create',
  companies: ReadonlySet<number>,
): Violation[] {
  const errors = statusViolations(values.status, draft?.contact.status ?? 'active');
  if (values.companyId != null && values.company != null) errors.push(COMPANY_TWICE);
  else if (values.companyId != null && !companies.has(values.companyId)) errors.push(noCompany(values.companyId));
  if (draft && mode === 'create') errors.push({ path: '/email', code: 'email_taken', message: 'is taken' });
  return errors;
}

const missingNames = (input: ContactInput): Violation[] =>
  (['firstName', 'lastName'] as const)
    .filter((name) => input[name] === undefined)
    .map((name) => ({ path: `/${name}`, code: 'required', message: 'is required' }));

const draftOf = (contact: Contact, isNew: boolean): Draft => ({
  contact,
  isNew,
  oldStatus: contact.status,
  changed: new Set(),
  companyName: null,
  requestId: null,
});

function newDraft(
  tenantId: string,
  { customFields, company, status, ...values }: ContactValues,
  suppressed: ContactStatus | undefined,
): Draft {
  const none = { firstName: '', lastName: '', phone: null, phoneE164: null, companyId: null, tags: [] as string[] };
  const contact = {
    ...none,
    ...values,
    ...optionalValues(values),
    tenantId,
    status: suppressed ?? status ?? 'active',
    customFields: mergedCustomFields({}, customFields ?? null),
  };
  return { ...draftOf(contact as unknown as Contact, true), companyName: company ?? null };
}

/** Applies a row's values to its contact. Returns whether that changes it. */
function change(draft: Draft, { company, ...values }: ContactValues): boolean {
  const changed = applyValues(draft.contact, values);
  for (const name of changed) draft.changed.add(name);
  const before = draft.companyName;
  if (company != null) draft.companyName = company;
  else if (values.companyId !== undefined) draft.companyName = null;
  return (
    changed.length > 0 || (company != null && (before === null || companyNameKey(before) !== companyNameKey(company)))
  );
}

/** Removes the values of fields that are not empty in a contact. */
function keepPresent({ contact, companyName }: Draft, values: ContactValues, boxes?: ReadonlySet<string>): void {
  const kept = onlyEmpty(contact, values, boxes);
  for (const name of Object.keys(values) as (keyof ContactValues)[]) if (!(name in kept)) delete values[name];
  Object.assign(values, kept);
  if (contact.companyId != null || companyName !== null) delete values.company;
}

/** Writes the contacts and their memberships; returns the events. */
async function save(tx: EntityManager, origin: Origin, drafts: readonly Draft[]): Promise<NewEvent[]> {
  const { tenantId } = origin;
  const made = drafts.filter(({ isNew }) => isNew);
  await insertContacts(
    tx,
    tenantId,
    made.map(({ contact }) => contact),
  );
  // After the contacts: all code locks contacts before companies.
  const ids = await resolveCompanies(
    tx,
    tenantId,
    drafts.flatMap(({ companyName }) => companyName ?? []),
  );
  for (const draft of drafts) {
    const companyId = draft.companyName === null ? undefined : ids(draft.companyName);
    if (companyId !== undefined) for (const name of applyValues(draft.contact, { companyId })) draft.changed.add(name);
  }
  const updated = drafts.filter(({ isNew, changed }) => !isNew && changed.size > 0);
  await writeContacts(
    tx,
    tenantId,
    updated.map(({ contact }) => contact),
  );
  await setCompanies(
    tx,
    tenantId,
    made.flatMap(({ contact }) => (contact.companyId == null ? [] : [contact])),
  );
  const optedOut = [
    ...made.filter(({ contact }) => contact.status === 'unsubscribed'),
    ...updated.filter((draft) => isOptOut(draft)),
  ];
  await suppressUnsubscribed(
    tx,
    tenantId,
    optedOut.map(({ contact }) => contact.emailKey),
  );
  const events: NewEvent[] = [
    ...made.map(({ contact: { id, email }, requestId }): NewEvent => ({
      type: 'CONTACT_CREATED',
      data: { contactId: id, email },
      requestId,
    })),
    ...updated.map(({ contact: { id, version }, changed, requestId }): NewEvent => ({
      type: 'CONTACT_UPDATED',
      data: { contactId: id, version: version, changed: [...changed] },
      requestId,
    })),
    ...updated.filter(isOptOut).map(({ contact: { id }, requestId }): NewEvent => ({
      type: 'CONTACT_UNSUBSCRIBED',
      data: { contactId: id, reason: 'api' },
      requestId,
    })),
  ];
  const requestIds = new Map(drafts.map(({ contact, requestId }) => [contact.id, requestId]));
  await refreshMemberships(
    tx,
    tenantId,
    made.map(({ contact }) => contact.id),
    { locked: true, events, requestIds },
  );
  await refreshMemberships(
    tx,
    tenantId,
    updated.map(({ contact }) => contact.id),
    { causes: ['contact', 'company'], locked: true, events, requestIds },
  );
  return events;
}

const isOptOut = ({ contact, oldStatus }: Draft): boolean =>
  contact.status === 'unsubscribed' && oldStatus !== 'unsubscribed';
