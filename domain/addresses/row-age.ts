import { sql, type RawBuilder } from '../../db/orm.ts';
import { CLOCKS_MS } from './tokens.ts';

/**
 * As `isOfToken`, in SQL: whether the row that was made at `createdAt` can be the one that had its id at `time`. After
 * Postgres was put back to an older copy, somebody else may have been given the id: such a row was made later.
 */
export const isNoYounger = (createdAt: RawBuilder<unknown>, time: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${createdAt} <= ${time} + ${sql.lit(CLOCKS_MS)} * interval '1 millisecond'`;

/** Whether a row was there when the copy was taken; of all if `since` is null, because nothing was made after it. */
export const isOfCopy = (createdAt: RawBuilder<unknown>, since: Date | null): RawBuilder<unknown> =>
  since === null ? sql`true` : isNoYounger(createdAt, sql`${since.toISOString()}::timestamptz`);
