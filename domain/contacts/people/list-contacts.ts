import { Contact, type Segment } from '../../../db/entities/contacts.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import { contactConditions, contactSearch, contactSort, SEARCH_SORT, type ContactFilters } from './contact-filters.ts';
import { memberAt } from '../../membership/members/membership-at.ts';
import { timeline } from '../../contact-values/timeline.ts';

const from = sql`contacts t`;

/** A page of contacts. Throws `validation_failed` for a wrong cursor or time. */
export const listContacts = <T>(
  em: EntityManager,
  query: ListQuery & ContactFilters,
  present: Present<Contact, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    Contact,
    query,
    {
      from,
      where: contactConditions(query),
      sortable: contactSort,
    },
    present,
  );

/**
 * A page of the members of a segment or list, or with `at`, of who was a member at that moment. Throws
 * `validation_failed` for a wrong cursor, or a moment of which the members are not known.
 */
export async function listMembers<T>(
  em: EntityManager,
  segment: Segment,
  { at, ...query }: ListQuery & Pick<ContactFilters, 'status'> & { at?: string },
  present: Present<Contact, T>,
): Promise<Page<T>> {
  if (at === undefined) return listContacts(em, { ...query, segmentId: segment.id }, present);
  const member = await em.transactional((tx) => memberAt(tx, segment, at));
  return listPage(
    em,
    Contact,
    query,
    { from, where: [member, ...contactConditions(query)], sortable: contactSort },
    present,
  );
}

/**
 * A page of the contacts whose name, address or company's name contains `q`, the most relevant first unless the query
 * specifies a sort order. Throws `validation_failed` for a wrong cursor.
 */
export async function searchContacts<T>(
  em: EntityManager,
  query: ListQuery & { q: string },
  present: Present<Contact, T>,
): Promise<Page<T>> {
  const { where, relevance } = await contactSearch(em, query.q);
  const sorted = { ...query, sort: query.sort ?? SEARCH_SORT };
  return listPage(em, Contact, sorted, { from, where: [where], sortable: { ...contactSort, relevance } }, present);
}

/** An entry of a contact's timeline. */
export interface Activity {
  id: number;
  type: string;
  occurredAt: Date;
  data: Record<string, unknown>;
}

/** A page of a contact's activities. Throws `validation_failed` for a wrong cursor. */
export const listActivities = <T>(
  em: EntityManager,
  contactId: number,
  query: ListQuery,
  present: Present<Activity, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    {
      read: (tx, ids) =>
        rows<Activity>(
          tx,
          sql`
          select id, type, occurred_at as "occurredAt", data from ${timeline} t
          where contact_id = ${contactId} and id = any(${ids}::bigint[])`,
        ),
    },
    query,
    {
      from: sql`${timeline} t`,
      where: [sql`t.contact_id = ${contactId}`],
      sortable: { id: commonSort.id, occurredAt: { column: sql`t.occurred_at`, type: 'timestamptz' } },
    },
    present,
  );
