import type { Company, Contact, Segment } from '../../db/entities/contacts.ts';
import type { EntityManager } from '../../db/orm.ts';
import type { Activity } from '../../domain/contacts/people/list-contacts.ts';
import { presentContact, presentContacts, type ContactView } from '../../domain/contact-values/present-contact.ts';
import { memberCounts } from '../../domain/segments/segments.ts';
import type { Filter } from '../../domain/membership/filter/filter.ts';

export { presentContact, presentContacts, type ContactView };

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
