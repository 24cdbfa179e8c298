import type pg from 'pg';
import type { Metrics } from '../config/metrics.ts';

type Connected = Parameters<pg.Pool['connect']>[0];

/** Measures how many connections of the pool are used, and how long work waits for one. */
export function measurePool(pool: pg.Pool, { poolConnections, poolWaiting, poolWait }: Metrics): void {
  const measure = (): void => {
    poolConnections.set({ state: 'idle' }, pool.idleCount);
    poolConnections.set({ state: 'used' }, pool.totalCount - pool.idleCount);
    poolWaiting.set(pool.waitingCount);
  };
  // Called for each scrape.
  Object.assign(poolConnections, { collect: measure });
  measure();
  const connect = pool.connect.bind(pool);
  const timed = (callback?: Connected): Promise<pg.PoolClient> | void => {
    const end = poolWait.startTimer();
    if (!callback) return connect().finally(() => void end());
    connect((...answer) => {
      end();
      callback(...answer);
    });
  };
  Object.assign(pool, { connect: timed });
}
