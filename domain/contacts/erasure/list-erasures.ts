import { Erasure } from '../../../db/entities/contacts.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

interface ErasureQuery extends ListQuery {
  status?: string;
  contactId?: number;
}

/** A page of the tenant's erasures. Throws `validation_failed` for a wrong cursor. */
export const listErasures = <T>(
  em: EntityManager,
  query: ErasureQuery,
  present: Present<Erasure, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    Erasure,
    query,
    {
      from: sql`erasures t`,
      sortable: commonSort,
      where: [
        query.status !== undefined && sql`t.status = ${query.status}`,
        query.contactId !== undefined && sql`t.contact_id = ${query.contactId}`,
      ],
    },
    present,
  );
