import { Segment } from '../../db/entities/contacts.ts';
import { sql, type EntityManager } from '../../db/orm.ts';
import { byName, byUpdatedAt, commonSort, listPage, type Present } from '../common/list-page.ts';
import type { ListQuery, Page } from '../common/paging.ts';

interface SegmentQuery extends ListQuery {
  type?: string;
}

const from = sql`segments t`;
const sortable = { ...commonSort, name: byName, updatedAt: byUpdatedAt };

/** A page of the tenant's segments, static lists among them. Throws `validation_failed` for a wrong cursor. */
export const listSegments = <T>(
  em: EntityManager,
  query: SegmentQuery,
  present: Present<Segment, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    Segment,
    query,
    {
      from,
      where: [query.type !== undefined && sql`t.type = ${query.type}`],
      sortable,
    },
    present,
  );

/** A page of the tenant's static lists. Throws `validation_failed` for a wrong cursor. */
export const listStaticLists = <T>(
  em: EntityManager,
  query: ListQuery,
  present: Present<Segment, T>,
): Promise<Page<T>> => listPage(em, Segment, query, { from, where: [sql`t.type = 'static'`], sortable }, present);
