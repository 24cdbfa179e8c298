import { IsolationLevel } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { coverable, type Period } from './period.ts';

/**
 * Reads in one snapshot, so that figures are consistent while events are being counted. `read` gets the period that is
 * covered, which the result has as `period`: see `coverable`.
 */
export function inSnapshot<T extends object>(
  em: EntityManager,
  asked: Period,
  read: (tx: EntityManager, period: Period) => Promise<T>,
): Promise<T & { period: Period }> {
  return em.transactional(
    async (tx) => {
      const [horizon] = await rows<{ at: Date | null }>(tx, sql`select analytics_horizon() as at`);
      const period = horizon!.at ? coverable(asked, horizon!.at) : asked;
      return { ...(await read(tx, period)), period };
    },
    { isolationLevel: IsolationLevel.REPEATABLE_READ },
  );
}
