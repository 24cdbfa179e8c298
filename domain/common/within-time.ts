import { IsolationLevel } from '@mikro-orm/core';
import { pgError } from '../../db/errors.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { AppError } from '../../lib/checks/errors.ts';

const MOST_SECONDS = 10;
const QUERY_CANCELED = '57014';

/**
 * Runs reads in one snapshot. Each query may take up to ten seconds. Throws 503 `unavailable` with this detail if one
 * takes longer.
 */
export async function withinTime<T>(
  em: EntityManager,
  detail: string,
  work: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  try {
    return await em.transactional(
      async (tx) => {
        await rows(tx, sql`set local statement_timeout = ${sql.lit(`${MOST_SECONDS}s`)}`);
        return work(tx);
      },
      { isolationLevel: IsolationLevel.REPEATABLE_READ },
    );
  } catch (error) {
    if (pgError(error)?.code === QUERY_CANCELED) throw new AppError('unavailable', detail, { cause: error });
    throw error;
  }
}
