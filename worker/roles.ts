import type { NativeConnection } from '@temporalio/worker';
import type { Deps } from '../config/deps.ts';
import { startFromOutbox } from '../activities/start-executions.ts';
import { ensureSearchAttributes } from '../config/temporal.ts';
import { engineEm, rows, sql } from '../db/orm.ts';
import { consumeBatches, runEventHandler } from '../events/consume.ts';
import { startRelay } from '../events/relay.ts';
import { ensureStreams } from '../events/streams.ts';
import { eventHandlers, queueHandlers } from '../events/handlers/index.ts';
import { startHitClassifier } from './hit-classifier.ts';
import { startSenders } from './senders/index.ts';
import { startTemporalWorker } from './temporal.ts';

export const ROLES = ['temporal', 'consumers', 'relay', 'senders'] as const;
export type Role = (typeof ROLES)[number];

const PARTITION_EVERY_MS = 3_600_000;

interface Running {
  stop(): Promise<void>;
}

/** Inbox partitions for today and the next days, and without those that nothing is redelivered from any more. */
function keepPartitions(deps: Deps): Running {
  const keep = async (): Promise<void> => {
    await engineEm(deps.orm).transactional((tx) => rows(tx, sql`
      select ensure_inbox_partition(current_date + n) from generate_series(0, 2) n`));
    await engineEm(deps.orm).transactional((tx) => rows(tx, sql`select drop_inbox_partitions(current_date - 30)`));
  };
  const run = () => keep().catch((error: unknown) => deps.log.warn({ err: error }, 'inbox partitions not kept'));
  const timer = setInterval(() => void run(), PARTITION_EVERY_MS);
  const first = run();
  return { stop: async () => { clearInterval(timer); await first; } };
}

async function startConsumers(deps: Deps): Promise<Running> {
  const consumers: Running[] = [keepPartitions(deps), startHitClassifier(deps)];
  for (const handler of eventHandlers(deps)) consumers.push(await runEventHandler(deps, handler));
  for (const queue of await queueHandlers(deps)) consumers.push(await consumeBatches(deps, queue));
  return { stop: async () => { await Promise.all(consumers.map((consumer) => consumer.stop())); } };
}

/** Sets up what the roles need and runs them; `stop` drains them in the order of the flow. */
export async function startWorker(deps: Deps, connection: NativeConnection, roles: readonly Role[]): Promise<Running> {
  await ensureStreams(deps.nats.jsm, deps.env.EVENTS_MAX_AGE);
  await ensureSearchAttributes(deps.temporal);
  const running: Running[] = [];
  if (roles.includes('temporal')) running.push(await startTemporalWorker(deps, connection));
  if (roles.includes('consumers')) running.push(await startConsumers(deps));
  if (roles.includes('relay')) {
    running.push(startRelay({
      databaseUrl: deps.env.DATABASE_URL, nats: deps.nats, log: deps.log, metrics: deps.metrics,
      startWorkflow: (type, id, input) => startFromOutbox(deps, { type, id, input }),
    }));
  }
  if (roles.includes('senders')) running.push(startSenders(deps));
  return {
    async stop() {
      for (const part of running) await part.stop();
    },
  };
}
