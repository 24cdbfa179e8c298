import { IsolationLevel, type EntityName } from '@mikro-orm/core';
import { rows, sql, type EntityManager, type RawBuilder } from '../../db/orm.ts';
import { assertValid } from '../../lib/checks/errors.ts';
import { parseDateTime } from '../../lib/time/instants.ts';
import { keyset, type ListQuery, type Page, type SortField } from './paging.ts';

/**
 * Converts the entities of a page to their representation, in the same order; `em` is in the transaction of the page.
 */
export type Present<E, T> = (found: E[], em: EntityManager) => T[] | Promise<T[]>;

/** Where a page's entities come from: an entity of the ORM, or a function that reads those with these ids. */
type PageSource<E> = EntityName<E> | { read: (tx: EntityManager, ids: number[]) => Promise<E[]> };

/**
 * One page of an entity: selects ids by keyset over `from` (a table with the alias `t`) where all of `where` hold,
 * then loads and presents the entities of those ids in that order. Runs in one snapshot, so that no entity disappears
 * between the queries. Conditions that are `false` are ignored. Throws `validation_failed` for a cursor of another
 * list or order.
 */
export async function listPage<E extends { id: number }, T>(
  em: EntityManager,
  source: PageSource<E>,
  query: ListQuery,
  list: {
    from: RawBuilder<unknown>;
    where: (RawBuilder<unknown> | false)[];
    sortable: Record<string, SortField> & { id: SortField };
  },
  present: Present<E, T>,
): Promise<Page<T>> {
  return em.transactional(
    async (tx) => {
      const page = keyset(query, list.sortable);
      const conditions = list.where.filter((condition) => condition !== false);
      const where = conditions.length > 0 ? sql.join(conditions, sql` and `) : sql`true`;
      const keys = await rows<{ id: number; sort_value: unknown }>(
        tx,
        sql`
      select t.id, ${page.sortValue} from ${list.from} where ${page.where} and ${where} order by ${page.orderBy} limit ${page.fetch}`,
      );
      const total = query.includeTotal
        ? (await rows<{ n: number }>(tx, sql`select count(*) as n from ${list.from} where ${where}`))[0]!.n
        : undefined;
      const ids = keys.map((key) => key.id);
      const found =
        'read' in source ? await source.read(tx, ids) : await tx.find(source, { id: { $in: ids } } as never);
      const byId = new Map(found.map((row) => [row.id, row]));
      const ordered = keys.slice(0, page.fetch - 1).flatMap((key) => byId.get(key.id) ?? []);
      const presented = await present(ordered, tx);
      const at = new Map(ordered.map((row, index) => [row.id, index]));
      return page.toPage(keys, (key) => presented[at.get(key.id)!]!, total);
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}

/** The sort fields of every resource. */
export const commonSort = {
  id: { column: sql`t.id`, type: 'bigint' },
  createdAt: { column: sql`t.created_at`, type: 'timestamptz' },
} as const satisfies Record<string, SortField>;

/** Sort fields of many resources. */
export const byName = { column: sql`t.name`, type: 'text' } as const satisfies SortField;
export const byUpdatedAt = { column: sql`t.updated_at`, type: 'timestamptz' } as const satisfies SortField;

/** The time in a filter, as SQL. Throws 400 naming the filter if the time is invalid. */
export function instant(name: string, text: string): RawBuilder<unknown> {
  const at = parseDateTime(text);
  const message = 'must be a date-time between the years 1000 and 9000';
  assertValid(at ? [] : [{ path: `/${name}`, code: 'out_of_range', message }]);
  return sql`${at}::timestamptz`;
}
