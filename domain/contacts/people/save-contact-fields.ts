import { Contact } from '../../../db/entities/contacts.ts';
import type { EntityManager } from '../../../db/orm.ts';
import { appendEvents, type Origin } from '../../../events/outbox.ts';
import { assertValid, type Violation } from '../../common/errors.ts';
import { refreshMemberships } from '../../segments/membership/refresh-memberships.ts';
import { applyValues } from '../values/apply-values.ts';
import { checkContactValues, type ContactInput, type ContactValues } from '../values/contact-values.ts';
import { typesFor } from '../values/custom-field-types.ts';
import { findOrCreateCompany } from '../values/find-or-create-company.ts';
import { insertContact, setCompany } from '../values/insert-contact.ts';
import { lockContacts } from '../values/lock-contacts.ts';
import { OPTIONAL_NAMES } from '../values/optional-fields.ts';

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
  /** The `source` of a new contact. */
  source: string | null;
  /** Whether a new contact must confirm its address before it becomes active. */
  pending?: boolean;
}

/**
 * Creates or updates the contact of an address in the transaction `tx`, with its events and memberships. Never changes
 * the status of an existing contact; a new one is active (or `pending`) unless its address is suppressed, and may lack
 * names. Throws `validation_failed` with paths `/email`, `/firstName` …
 */
export async function saveContactFields(
  tx: EntityManager,
  origin: Origin,
  { email, fields, mode, source, pending = false }: ContactToSave,
): Promise<{ contactId: number; created: boolean; changed: string[] }> {
  const { tenantId } = origin;
  const given = givenFields(fields);
  const { values, violations } = checkContactValues(
    { ...given, email, source },
    await typesFor(tx, tenantId, Object.keys(given.customFields ?? {})),
  );
  assertValid(violations);
  const { email: address, emailKey, ...rest } = values as ContactValues & { email: string; emailKey: string };

  // Waits for transactions that create or delete the same contact, and then checks again.
  for (;;) {
    const found = await insertContact(tx, tenantId, {
      ...rest,
      status: pending ? 'pending' : 'active',
      email: address,
      emailKey,
    });
    if (!found) continue;
    const { id, created } = found;
    if (!created) {
      if ((await lockContacts(tx, tenantId, [id])).length === 0) continue;
      return { contactId: id, created, changed: await updateFields(tx, origin, id, rest, mode) };
    }
    if (rest.company) await setCompany(tx, tenantId, id, await findOrCreateCompany(tx, tenantId, rest.company));
    await appendEvents(tx, origin, [
      { type: 'CONTACT_CREATED', entity: `contact/${id}`, data: { contactId: id, email: address } },
    ]);
    await refreshMemberships(tx, tenantId, [id], { requestId: origin.requestId });
    return { contactId: id, created, changed: Object.keys(given) };
  }
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
  return updateFields(tx, origin, contactId, values, 'overwrite');
}

/** The violations that `saveContactFields` would throw for these fields. */
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

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

async function updateFields(
  tx: EntityManager,
  origin: Origin,
  id: number,
  { source: _ofNewOnes, company, ...values }: ContactValues,
  mode: 'fillEmpty' | 'overwrite',
): Promise<string[]> {
  const contact = await tx.findOneOrFail(Contact, { id, tenantId: origin.tenantId }, { refresh: true });
  const wanted = mode === 'overwrite' ? values : onlyEmpty(contact, values);
  if (company === null) wanted.companyId = null;
  else if (company !== undefined && (mode === 'overwrite' || contact.companyId == null)) {
    wanted.companyId = await findOrCreateCompany(tx, origin.tenantId, company);
  }
  const changed = applyValues(contact, wanted);
  if (changed.length === 0) return changed;
  await tx.flush();
  await appendEvents(tx, origin, [
    { type: 'CONTACT_UPDATED', entity: `contact/${id}`, data: { contactId: id, version: contact.version, changed } },
  ]);
  await refreshMemberships(tx, origin.tenantId, [id], {
    causes: ['contact', 'company'],
    locked: true,
    requestId: origin.requestId,
  });
  return changed;
}

/** The values for fields that are empty. */
function onlyEmpty(contact: Contact, values: ContactValues): ContactValues {
  const fields = contact as unknown as Record<string, unknown>;
  const kept = Object.entries(values).filter(
    ([name]) => name !== 'customFields' && isEmpty(fields[name === 'phoneE164' ? 'phone' : name]),
  );
  const custom = Object.entries(values.customFields ?? {}).filter(
    ([name]) => !Object.hasOwn(contact.customFields, name) || isEmpty(contact.customFields[name]),
  );
  return { ...Object.fromEntries(kept), ...(custom.length > 0 ? { customFields: Object.fromEntries(custom) } : {}) };
}
