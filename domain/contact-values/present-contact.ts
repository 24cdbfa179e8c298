import { Company, type Contact } from '../../db/entities/contacts.ts';
import type { EntityManager } from '../../db/orm.ts';
import { beingErased } from './being-erased.ts';
import { optionalValues } from './optional-fields.ts';
import type { ShownContact } from './read-contact.ts';

/** A contact as in the API. Without `companyName`, no company is shown. */
export function presentContact({ contact, companyName, erasing }: ShownContact) {
  const { companyId } = contact;
  return {
    id: contact.id,
    firstName: contact.firstName,
    lastName: contact.lastName,
    email: contact.email,
    phone: contact.phone ?? null,
    phoneE164: contact.phoneE164 ?? null,
    companyId: companyId ?? null,
    company: companyId == null || companyName === null ? null : { id: companyId, name: companyName },
    status: contact.status,
    erasing,
    tags: contact.tags,
    customFields: contact.customFields,
    ...optionalValues(contact),
    tenantId: contact.tenantId,
    createdAt: contact.createdAt.toISOString(),
    updatedAt: contact.updatedAt.toISOString(),
    version: contact.version,
  };
}
export type ContactView = ReturnType<typeof presentContact>;

/** Contacts as in the API, with the names of their companies, and whether they are being erased. */
export async function presentContacts(contacts: Contact[], em: EntityManager): Promise<ContactView[]> {
  const ids = [...new Set(contacts.flatMap((contact) => contact.companyId ?? []))];
  const companies = ids.length > 0 ? await em.find(Company, { id: { $in: ids } }) : [];
  const names = new Map(companies.map((company) => [company.id, company.name]));
  const erased = await em.transactional((tx) =>
    beingErased(
      tx,
      contacts.map(({ id }) => id),
    ),
  );
  return contacts.map((contact) =>
    presentContact({
      contact,
      companyName: contact.companyId == null ? null : (names.get(contact.companyId) ?? null),
      erasing: erased.has(contact.id),
    }),
  );
}
