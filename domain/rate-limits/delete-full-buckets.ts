import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** Deletes buckets that were not used for a day: except at very low rates, they are full again. Engine `em`. */
export async function deleteFullBuckets(em: EntityManager): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`delete from rate_buckets where at < now() - interval '1 day'`));
}
