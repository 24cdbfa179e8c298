import type { RawBuilder } from 'kysely';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { instant } from '../../common/list-page.ts';
import type { SortField } from '../../common/paging.ts';
import type { ContactStatus } from '../../contact-values/contact-values.ts';
import { normaliseEmail } from '../../../lib/addresses/email.ts';
import { isViolation } from '../../../lib/checks/violation.ts';

/** Filters of a list of contacts; the times are exclusive. */
export interface ContactFilters {
  status?: ContactStatus;
  companyId?: number;
  segmentId?: number;
  listId?: number;
  tag?: string;
  email?: string;
  createdAfter?: string;
  createdBefore?: string;
  updatedAfter?: string;
}

export const contactSort = {
  id: { column: sql`t.id`, type: 'bigint' },
  createdAt: { column: sql`t.created_at`, type: 'timestamptz' },
  updatedAt: { column: sql`t.updated_at`, type: 'timestamptz' },
  email: { column: sql`t.email_key`, type: 'text' },
  lastName: { column: sql`t.last_name`, type: 'text' },
} as const satisfies Record<string, SortField>;

/** The filters as conditions over `contacts t`. */
export function contactConditions(filters: ContactFilters): RawBuilder<unknown>[] {
  const { status, companyId, segmentId, listId, tag, email } = filters;
  const memberOf = (id: number) => sql`exists (
    select 1 from segment_members m where m.tenant_id = t.tenant_id and m.segment_id = ${id} and m.contact_id = t.id)`;
  const conditions = [
    status !== undefined && sql`t.status = ${status}`,
    companyId !== undefined && sql`t.company_id = ${companyId}`,
    segmentId !== undefined && memberOf(segmentId),
    listId !== undefined && memberOf(listId),
    tag !== undefined && sql`${tag.normalize('NFC')}::text = any(t.tags)`,
    email !== undefined && sql`t.email_key = ${keyOf(email)}`,
    filters.createdAfter !== undefined && sql`t.created_at > ${instant('createdAfter', filters.createdAfter)}`,
    filters.createdBefore !== undefined && sql`t.created_at < ${instant('createdBefore', filters.createdBefore)}`,
    filters.updatedAfter !== undefined && sql`t.updated_at > ${instant('updatedAfter', filters.updatedAfter)}`,
  ];
  return conditions.filter((condition) => condition !== false);
}

/** The key of an address; an invalid address stays as it is and matches no contact. */
function keyOf(email: string): string {
  const normalised = normaliseEmail(email);
  return isViolation(normalised) ? email : normalised.emailKey;
}

/** With more matches than this, reading contacts in list order finds enough of them quickly. */
const MAX_FOUND = 10_000;

/** The default sort order of a search. */
export const SEARCH_SORT = '-relevance';

export interface ContactSearch {
  /** A condition over `contacts t`. */
  where: RawBuilder<unknown>;
  /**
   * 3 = equal, 2 = starts with the text, 1 = contains it, 0 = only the company's name contains it; all 0 if there are
   * too many matches.
   */
  relevance: SortField;
}

/**
 * Contacts whose name, address or company's name contains the text, ignoring case, and their relevance. Uses the
 * trigram indexes, except for a text of one or two characters, which has no trigram.
 */
export async function contactSearch(em: EntityManager, q: string): Promise<ContactSearch> {
  const text = q.trim().normalize('NFC');
  const escaped = text.replaceAll(/[\\%_]/g, '\\$&');
  const like = (pattern: string) => sql`like lower(${pattern}::text)`;
  const name = sql`lower(t.first_name || ' ' || t.last_name)`;
  const part = like(`%${escaped}%`);
  const ownColumnsMatch = sql`${name} ${part} or lower(t.email) ${part}`;
  const found =
    [...text].length < 3
      ? null
      : await em.transactional((tx) =>
          rows<{ id: number }>(tx, sql`select id from search_contacts(${`%${escaped}%`}, ${MAX_FOUND}) as id`),
        );
  if (found === null || found.length === MAX_FOUND) {
    // Scans all companies once.
    const companyMatches = sql`(t.tenant_id, t.company_id) in (select k.tenant_id, k.id from companies k where lower(k.name) ${part})`;
    return {
      where: sql`(${ownColumnsMatch} or ${companyMatches})`,
      relevance: { column: sql`0::int`, type: 'integer' },
    };
  }
  const companyMatches = sql`exists (select 1 from companies k where k.tenant_id = t.tenant_id and k.id = t.company_id and lower(k.name) ${part})`;
  const begin = like(`${escaped}%`);
  const column = sql`case
    when ${name} = lower(${text}::text) or lower(t.email) = lower(${text}::text) then 3
    when ${name} ${begin} or lower(t.last_name) ${begin} or lower(t.email) ${begin} then 2
    when ${name} ${part} or lower(t.email) ${part} then 1 else 0 end`;
  return {
    where: sql`(t.id = any(${found.map((row) => row.id)}::bigint[]) and (${ownColumnsMatch} or ${companyMatches}))`,
    relevance: { column, type: 'integer' },
  };
}
