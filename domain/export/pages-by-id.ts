import type { RawBuilder } from 'kysely';
import { rows, sql, type EntityManager } from '../../db/orm.ts';

const PAGE = 1000;

/**
 * Yields the rows of `query` up to the id `upTo` in id order, page by page; each page has the state at the time it is
 * read. Holds neither a connection nor a snapshot between pages, however slow the reader is. No more queries run once
 * the caller stops reading.
 */
export async function* pagesById<Row extends { id: number }>(
  em: EntityManager,
  upTo: number,
  query: (range: { after: number; upTo: number; limit: number }) => RawBuilder<unknown>,
): AsyncGenerator<Row[]> {
  for (let after = 0; ;) {
    const page = await em.transactional((tx) => rows<Row>(tx, query({ after, upTo, limit: PAGE })));
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    after = page.at(-1)!.id;
  }
}

/** The number of rows of `from` (everything after `select 1`), counted up to `most` + 1. */
export async function countUpTo(em: EntityManager, from: RawBuilder<unknown>, most: number): Promise<number> {
  const [found] = await em.transactional((tx) =>
    rows<{ n: number }>(tx, sql`select count(*) as n from (select 1 ${from} limit ${most + 1}) found`),
  );
  return found!.n;
}
