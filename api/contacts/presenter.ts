import { Company, type Contact, type Segment } from '../../db/entities/contacts.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { Activity } from '../../domain/contacts/people/list-contacts.ts';
import { optionalValues } from '../../domain/contacts/values/optional-fields.ts';
import { memberCounts } from '../../domain/segments/definition/segments.ts';
import type { Filter } from '../../domain/segments/filter/filter.ts';

/** A contact as in the API. Without `companyName`, no company is shown. */
export function presentContact(contact: Contact, companyName: string | null) {
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

/** Contacts as in the API, with the names of their companies. */
export async function presentContacts(contacts: Contact[], em: EntityManager): Promise<ContactView[]> {
  const ids = [...new Set(contacts.flatMap((contact) => contact.companyId ?? []))];
  const companies = ids.length > 0 ? await em.find(Company, { id: { $in: ids } }) : [];
  const names = new Map(companies.map((company) => [company.id, company.name]));
  return contacts.map((contact) =>
    presentContact(contact, contact.companyId == null ? null : (names.get(contact.companyId) ?? null)),
  );
}

export const presentOne = async (contact: Contact, em: EntityManager): Promise<ContactView> =>
  (await presentContacts([contact], em))[0]!;

export const presentActivity = ({ id, type, occurredAt, data }: Activity) => ({ id, type, occurredAt, data });

export function presentCompany(company: Company) {
  return {
    id: company.id,
    name: company.name,
    domain: company.domain ?? null,
    industry: company.industry ?? null,
    employeeCount: company.employeeCount ?? null,
    address: company.address ?? null,
    customFields: company.customFields,
    tenantId: company.tenantId,
    createdAt: company.createdAt.toISOString(),
    updatedAt: company.updatedAt.toISOString(),
    version: company.version,
  };
}

export function presentSegment(segment: Segment, count: number) {
  return {
    id: segment.id,
    name: segment.name,
    description: segment.description ?? null,
    type: segment.type,
    filter: (segment.filter ?? null) as Filter | null,
    status: segment.status,
    count,
    doubleOptIn: segment.doubleOptIn ?? false,
    tenantId: segment.tenantId,
    version: segment.version,
    createdAt: segment.createdAt.toISOString(),
    updatedAt: segment.updatedAt.toISOString(),
  };
}
export type SegmentView = ReturnType<typeof presentSegment>;

/** Segments as in the API, with their counts; runs in a transaction. */
export async function presentSegments(segments: Segment[], tx: EntityManager): Promise<SegmentView[]> {
  if (segments.length === 0) return [];
  const counts = await memberCounts(
    tx,
    segments[0]!.tenantId,
    segments.map((segment) => segment.id),
  );
  return segments.map((segment) => presentSegment(segment, counts.get(segment.id) ?? 0));
}
