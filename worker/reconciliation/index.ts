import pg from 'pg';
import { beginAtZero } from '../../config/metrics.ts';
import { sayOnce } from '../../config/say-once.ts';
import { engineEm, session } from '../../db/orm.ts';
import { LATE_MS, saveComparison } from '../../domain/reconciliation/comparison.ts';
import { ListedWorkflows } from '../../domain/reconciliation/listed-workflows.ts';
import { tryLock } from '../../transport/locks.ts';
import { Wake } from '../../lib/async/wake.ts';
import type { Deps } from '../../runtime/deps.ts';
import { workflows } from '../../registry/workflows.ts';
import { compareOnce, newMemory } from './round.ts';

const STANDBY_MS = 5_000;
const PAUSE_MS = 20_000;
/** The pause after a round is so many times as long as the round. */
const PAUSE_PER_ROUND = 4;

/** Compares rows with workflows continuously, in one process at a time. */
export function startReconciliation(deps: Deps): { stop: () => Promise<void> } {
  const { log } = deps;
  for (const type of Object.keys(workflows))
    beginAtZero(deps.metrics.workflowFindings, 'done', ['started', 'ended', 'woken', 'failed'], { type });
  const told = sayOnce(log, {}, 'could not compare rows with workflows, will retry', 'rows are compared again');
  const stopping = new AbortController();
  const { signal } = stopping;
  const waits = new Set<Wake>();
  const pause = async (ms: number): Promise<void> => {
    const wake = new Wake(ms);
    waits.add(wake);
    if (!signal.aborted) await wake.wait();
    waits.delete(wake);
  };

  const lead = async (client: pg.Client): Promise<void> => {
    while (!signal.aborted && !(await tryLock(client, 'reconciliation'))) await pause(STANDBY_MS);
    const listed = new ListedWorkflows(client);
    const memory = newMemory();
    while (!signal.aborted) {
      const begun = performance.now();
      const found = await compareOnce(deps, listed, memory, { signal });
      told.succeeded();
      const took = performance.now() - begun;
      const rest = Math.max(PAUSE_MS, PAUSE_PER_ROUND * took);
      await saveComparison(engineEm(deps.orm), found, rest + 5 * took + LATE_MS);
      await pause(rest);
    }
  };

  const run = async (): Promise<void> => {
    while (!signal.aborted) {
      const client = new pg.Client({
        connectionString: deps.env.DATABASE_URL,
        ...session,
        application_name: 'perennial-reconciliation',
      });
      client.on('error', (error) =>
        log.warn({ err: error }, 'the comparison with Temporal lost its database connection'),
      );
      try {
        await client.connect();
        await lead(client);
      } catch (error) {
        if (!signal.aborted) told.failed(error);
      } finally {
        // The lock and the list were released with the session.
        await client.end().catch(() => undefined);
      }
      await pause(STANDBY_MS);
    }
  };
  const running = run();

  return {
    async stop() {
      stopping.abort();
      for (const wake of waits) wake.now();
      await running;
    },
  };
}
