import { IsolationLevel, type EntityName } from '@mikro-orm/core';
import type { RawBuilder } from 'kysely';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { keyset, type ListQuery, type Page, type SortField } from './paging.ts';

/**
 * One page of an entity: ids by keyset over `from` (a table with the alias `t`) under all of `where`, then the
 * entities of those ids, presented in that order; all as it is at one moment, so that none is gone from one to the next.
 */
export async function listPage<E extends { id: number }, T>(
  em: EntityManager,
  entity: EntityName<E>,
  query: ListQuery,
  list: { from: RawBuilder<unknown>; where: RawBuilder<unknown>[]; sortable: Record<string, SortField> & { id: SortField } },
  present: (found: E[], em: EntityManager) => T[] | Promise<T[]>,
): Promise<Page<T>> {
  return em.transactional(async (tx) => {
    const page = keyset(query, list.sortable);
    const where = list.where.length > 0 ? sql.join(list.where, sql` and `) : sql`true`;
    const keys = await rows<{ id: number; sort_value: unknown }>(tx, sql`
      select t.id, ${page.sortValue} from ${list.from} where ${page.where} and ${where} order by ${page.orderBy} limit ${page.fetch}`);
    const total = query.includeTotal
      ? (await rows<{ n: number }>(tx, sql`select count(*) as n from ${list.from} where ${where}`))[0]!.n
      : undefined;
    const found = await tx.find(entity, { id: { $in: keys.map((key) => key.id) } } as never);
    const byId = new Map((found as E[]).map((row) => [row.id, row]));
    const ordered = keys.slice(0, page.fetch - 1).flatMap((key) => byId.get(key.id) ?? []);
    const presented = await present(ordered, tx);
    const at = new Map(ordered.map((row, index) => [row.id, index]));
    return page.of(keys, (key) => presented[at.get(key.id)!]!, total);
  }, { isolationLevel: IsolationLevel.REPEATABLE_READ });
}

/** The sort fields that every resource has. */
export const commonSort = {
  id: { column: sql`t.id`, type: 'bigint' },
  createdAt: { column: sql`t.created_at`, type: 'timestamptz' },
} as const satisfies Record<string, SortField>;
