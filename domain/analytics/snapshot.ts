import { IsolationLevel } from '@mikro-orm/core';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { HOUR_MS, windowEnd, windowOf, type Period } from '../common/period.ts';

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

/**
 * The period that figures can cover: before `horizon` there are no events, only what was made of them, so an end that
 * lies there is extended to a whole hour.
 */
function coverable(period: Period, horizon: Date): Period {
  return {
    ...period,
    from: period.from < horizon ? windowOf(period.from, HOUR_MS) : period.from,
    to: period.to < horizon ? windowEnd(period.to, HOUR_MS) : period.to,
  };
}
