import { Contact } from '../../../db/entities/contacts.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { appendEvents, type NewEvent, type Origin } from '../../../events/outbox.ts';
import { assertValid, type Violation } from '../../../lib/checks/errors.ts';
import { refreshMemberships } from '../../membership/members/refresh-memberships.ts';
import { applyValues } from '../../contact-values/apply-values.ts';
import { writeBatch, type BatchResult } from './batch-contacts.ts';
import { checkContactValues, type ContactInput, type ContactValues } from '../../contact-values/contact-values.ts';
import { typesFor } from '../../contact-values/custom-field-types.ts';
import { findOrCreateCompany } from '../../contact-values/find-or-create-company.ts';
import { lockContacts } from '../../contact-values/lock-contacts.ts';
import { isEmpty } from '../../contact-values/only-empty.ts';
import { OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';

const SAVED = [
  'firstName',
  'lastName',
  'phone',
  'company',
  'tags',
  'customFields',
  ...OPTIONAL_NAMES.filter((name) => name !== 'source'),
] as const;
export type SavedFields = Pick<ContactInput, (typeof SAVED)[number]>;

export interface ContactToSave {
  email: string;
  /** Empty values are ignored. */
  fields: SavedFields;
  /** `fillEmpty` keeps the existing values of an existing contact. */
  mode: 'fillEmpty' | 'overwrite';
  /** See BatchRow. */
  boxes: ReadonlySet<string>;
  /** The `source` of a new contact. */
  source: string;
  /** Whether a new contact must confirm its address before it becomes active. */
  pending: boolean;
  requestId: string | null;
}

/**
 * Creates or updates the contacts of addresses in the transaction `tx`, with their memberships, like a batch of
 * `writeBatch`; the caller writes the events. Never changes the status of an existing contact; a new one is active (or
 * `pending`) unless its address is suppressed, and may lack names. The paths of errors are `/email`, `/firstName` …
 */
export function saveContacts(
  tx: EntityManager,
  origin: Origin,
  contacts: readonly ContactToSave[],
): Promise<{ results: BatchResult[]; events: NewEvent[] }> {
  const saved = contacts.map(({ email, fields, mode, boxes, source, pending, requestId }) => ({
    input: { ...givenFields(fields), email },
    violations: [],
    fillsEmpty: mode === 'fillEmpty',
    boxes,
    ofNew: { source, ...(pending ? { status: 'pending' as const } : {}) },
    requestId,
  }));
  return writeBatch(tx, origin, 'upsert', saved, { needsNames: false });
}

/**
 * Sets fields of an existing contact in the transaction `tx`, with its event and memberships: absent = unchanged, null
 * = cleared. Returns the names of the changed fields; none if the contact does not exist. Throws `validation_failed`.
 */
export async function setContactFields(
  tx: EntityManager,
  origin: Origin,
  contactId: number,
  fields: SavedFields,
): Promise<string[]> {
  const { tenantId } = origin;
  const types = await typesFor(tx, tenantId, Object.keys(fields.customFields ?? {}));
  const { values, violations } = checkContactValues(fields, types);
  assertValid(violations);
  if ((await lockContacts(tx, tenantId, [contactId])).length === 0) return [];
  return updateFields(tx, origin, contactId, values);
}

/** The violations that `saveContacts` would report for these fields. */
export async function savedFieldViolations(
  tx: EntityManager,
  tenantId: string,
  { email, ...fields }: SavedFields & { email?: string },
): Promise<Violation[]> {
  const given = givenFields(fields);
  return checkContactValues({ ...given, email }, await typesFor(tx, tenantId, Object.keys(given.customFields ?? {})))
    .violations;
}

const givenFields = (fields: SavedFields): SavedFields =>
  Object.fromEntries(SAVED.flatMap((name) => (isEmpty(fields[name]) ? [] : [[name, fields[name]]])));

async function updateFields(
  tx: EntityManager,
  origin: Origin,
  id: number,
  { company, ...values }: ContactValues,
): Promise<string[]> {
  const contact = await tx.findOneOrFail(Contact, { id, tenantId: origin.tenantId }, { refresh: true });
  if (company === null) values.companyId = null;
  else if (company !== undefined) values.companyId = await findOrCreateCompany(tx, origin.tenantId, company);
  const changed = applyValues(contact, values);
  if (changed.length === 0) return changed;
  await tx.flush();
  await appendEvents(tx, origin, [
    { type: 'CONTACT_UPDATED', data: { contactId: id, version: contact.version, changed } },
  ]);
  await refreshMemberships(tx, origin.tenantId, [id], {
    causes: ['contact', 'company'],
    locked: true,
    requestId: origin.requestId,
  });
  return changed;
}
