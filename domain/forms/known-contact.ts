import { Contact } from '../../db/entities/contacts.ts';
import type { Form, FormField } from '../../db/entities/forms.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { isEmpty, isUnticked } from '../contact-values/only-empty.ts';
import { isBox } from './checks/boxes.ts';
import { customFieldOf, mappedFields } from './fields.ts';

/** The contact of a token, and what a form need not ask it. */
export interface KnownContact {
  id: number;
  email: string;
  /** The names of the form's fields whose values are known. */
  known: ReadonlySet<string>;
  /** Those of boxes that were shown and not ticked: they are asked again, but after what was not asked yet. */
  unticked: ReadonlySet<string>;
}

/**
 * What is known about a contact: fields that fill a contact field by its value, others by earlier submissions of the
 * form. Null if there is no such contact (any more).
 */
export async function readKnownContact(em: EntityManager, form: Form, contactId: number): Promise<KnownContact | null> {
  return em.transactional(async (tx) => {
    const contact = await tx.findOne(Contact, { id: contactId, tenantId: form.tenantId });
    if (!contact?.email) return null;
    const submitted = await rows<{ name: string; hasValue: boolean }>(
      tx,
      sql`
      select v.key as name, bool_or(v.value not in ('null', '""', 'false', '[]')) as "hasValue"
      from form_submissions s cross join lateral jsonb_each(s.submission_data) v
      where s.tenant_id = ${form.tenantId} and s.form_id = ${form.id} and s.contact_id = ${contactId}
      group by v.key`,
    );
    const earlier = new Map(submitted.map(({ name, hasValue }) => [name, hasValue]));
    const mapped = mappedFields(form.fields);
    const isKnown = (field: FormField): boolean => {
      const target = mapped.get(field.name);
      if (target === undefined) return earlier.get(field.name) ?? false;
      const custom = customFieldOf(target);
      const property = target === 'company' ? 'companyId' : target;
      const value = custom === null ? contact[property as keyof Contact] : contact.customFields[custom];
      return !isEmpty(value) && !(isBox(field) && isUnticked(value));
    };
    const known = form.fields.filter((field) => field.type !== 'hidden' && isKnown(field));
    const unticked = form.fields.filter((field) => isBox(field) && earlier.has(field.name) && !known.includes(field));
    const names = (fields: readonly FormField[]) => new Set(fields.map(({ name }) => name));
    return { id: contact.id, email: contact.email, known: names(known), unticked: names(unticked) };
  });
}

/** Whether a form leaves something out because it is known about the contact: then it may be the wrong contact. */
export const hidesKnown = ({ enableProgressiveProfiling, fields }: Form, contact: KnownContact | null): boolean =>
  enableProgressiveProfiling && contact !== null && fields.some(({ name }) => contact.known.has(name));

/**
 * The fields that a form shows. With progressive profiling, what is known is not asked again; of the progressive fields
 * only the first that is not known is asked, and only of a known contact; a box that was left unticked comes after those
 * that were not asked yet.
 */
export function shownFields(form: Form, contact: KnownContact | null): FormField[] {
  if (!form.enableProgressiveProfiling) return form.fields;
  const later = form.progressiveFields ?? [];
  const unknown = contact ? later.filter((name) => !contact.known.has(name)) : [];
  const next = unknown.find((name) => !contact?.unticked.has(name)) ?? unknown[0];
  return form.fields.filter(({ name }) => (later.includes(name) ? name === next : !contact?.known.has(name)));
}
