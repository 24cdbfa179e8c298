import { Contact } from '../../db/entities/contacts.ts';
import type { Form, FormField } from '../../db/entities/forms.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { customFieldOf, mappedFields } from './fields.ts';

/** The contact of a token, and what a form need not ask it. */
export interface KnownContact {
  id: number;
  email: string;
  /** The names of the form's fields whose values are known. */
  known: ReadonlySet<string>;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/**
 * What is known about a contact: fields that fill a contact field by its value, others by earlier submissions of the
 * form. Null if there is no such contact (any more).
 */
export async function readKnownContact(em: EntityManager, form: Form, contactId: number): Promise<KnownContact | null> {
  return em.transactional(async (tx) => {
    const contact = await tx.findOne(Contact, { id: contactId, tenantId: form.tenantId });
    if (!contact?.email) return null;
    const submitted = await rows<{ name: string }>(
      tx,
      sql`
      select distinct v.key as name from form_submissions s cross join lateral jsonb_each(s.submission_data) v
      where s.tenant_id = ${form.tenantId} and s.form_id = ${form.id} and s.contact_id = ${contactId}
        and v.value not in ('null', '""', 'false', '[]')`,
    );
    const earlier = new Set(submitted.map(({ name }) => name));
    const mapped = mappedFields(form.fields);
    const isKnown = ({ name }: FormField): boolean => {
      const target = mapped.get(name);
      if (target === undefined) return earlier.has(name);
      const custom = customFieldOf(target);
      const property = target === 'company' ? 'companyId' : target;
      return !isEmpty(custom === null ? contact[property as keyof Contact] : contact.customFields[custom]);
    };
    const known = form.fields.filter((field) => field.type !== 'hidden' && isKnown(field));
    return { id: contact.id, email: contact.email, known: new Set(known.map(({ name }) => name)) };
  });
}

/** Whether a form leaves something out because it is known about the contact: then it may be the wrong contact. */
export const hidesKnown = ({ enableProgressiveProfiling, fields }: Form, contact: KnownContact | null): boolean =>
  enableProgressiveProfiling && contact !== null && fields.some(({ name }) => contact.known.has(name));

/**
 * The fields that a form shows. With progressive profiling, what is known is not asked again; of the progressive fields
 * only the first that is not known is asked, and only of a known contact.
 */
export function shownFields(form: Form, contact: KnownContact | null): FormField[] {
  if (!form.enableProgressiveProfiling) return form.fields;
  const later = form.progressiveFields ?? [];
  const next = contact && later.find((name) => !contact.known.has(name));
  return form.fields.filter(({ name }) => (later.includes(name) ? name === next : !contact?.known.has(name)));
}
