import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** Drops buckets that nobody has taken from for a day: unless tokens trickle, they are full. Engine em. */
export async function deleteFullBuckets(em: EntityManager): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`delete from rate_buckets where at < now() - interval '1 day'`));
}
