import type { Contact } from '../../db/entities/contacts.ts';
import type { ContactValues } from './contact-values.ts';
import { mergedCustomFields } from './custom-values.ts';
import { OPTIONAL_NAMES } from './optional-fields.ts';

const PLAIN = ['firstName', 'lastName', 'email', 'phone', ...OPTIONAL_NAMES, 'companyId', 'status', 'tags'] as const;
/** Columns that are set together with a field and are not fields of the API themselves. */
const DERIVED = { email: 'emailKey', phone: 'phoneE164' } as const;

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** The parts of a contact that `applyValues` reads and writes. */
export type ContactFields = Pick<
  Contact,
  'email' | 'emailKey' | 'createdEmail' | 'phoneE164' | 'customFields' | (typeof PLAIN)[number]
>;

/** Applies values to a contact. Returns the API names of the fields that changed. */
export function applyValues(contact: ContactFields, values: ContactValues): string[] {
  const fields = contact as unknown as Record<string, unknown>;
  const changed: string[] = PLAIN.filter((name) => values[name] !== undefined && !same(fields[name], values[name]));
  if (changed.includes('email')) {
    const created = contact.createdEmail ?? contact.email;
    contact.createdEmail = created === values.email ? null : created;
  }
  for (const name of changed) {
    fields[name] = values[name as (typeof PLAIN)[number]];
    const derived = DERIVED[name as keyof typeof DERIVED];
    if (derived) fields[derived] = values[derived];
  }
  if (values.customFields !== undefined && mergeCustomFields(contact, values.customFields))
    changed.push('customFields');
  return changed;
}

function mergeCustomFields(contact: ContactFields, given: NonNullable<ContactValues['customFields']> | null): boolean {
  const old = new Map(Object.entries(contact.customFields));
  const merged = mergedCustomFields(contact.customFields, given);
  const kept = new Map(Object.entries(merged));
  if ([...old.keys(), ...kept.keys()].every((name) => same(old.get(name), kept.get(name)))) return false;
  contact.customFields = merged;
  return true;
}
