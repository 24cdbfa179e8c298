import type pg from 'pg';
import type { Metrics } from '../config/metrics.ts';
import type { ConnectionTurns } from '../db/connection-turns.ts';

/** Measures how many connections of the pool are used, and how long transactions wait for one. */
export function measurePool(
  pool: pg.Pool,
  turns: ConnectionTurns,
  { poolConnections, poolWaiting, poolWait }: Metrics,
): void {
  const measure = (): void => {
    poolConnections.set({ state: 'idle' }, pool.idleCount);
    poolConnections.set({ state: 'used' }, pool.totalCount - pool.idleCount);
    poolWaiting.set(turns.waiting + pool.waitingCount);
  };
  // Called for each scrape.
  Object.assign(poolConnections, { collect: measure });
  measure();
  turns.onTurn = (seconds) => poolWait.observe(seconds);
}
