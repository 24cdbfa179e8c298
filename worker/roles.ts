import type { Deps } from '../runtime/deps.ts';
import { startFromOutbox } from '../activities/start-executions.ts';
import { ensureSearchAttributes, isTemporalAway, runWorkflow, TemporalAway } from '../runtime/temporal.ts';
import { connectPart } from '../runtime/when-there.ts';
import { consumeBatches } from '../transport/consume.ts';
import { ensureEventConsumers, runEventHandler } from '../transport/event-handler.ts';
import { forwardSingleEvents } from '../transport/forward-single-events.ts';
import { startRelay } from '../transport/relay.ts';
import { copiesOf, ensureCopies } from '../transport/copies.ts';
import { ensureStreams } from '../transport/streams.ts';
import { eventHandlers, queueHandlers } from './consumers/index.ts';
import { startAccountMails } from './account-mails.ts';
import { startBounceReader } from './bounces/index.ts';
import { startHitClassifier } from './hit-classifier.ts';
import { startMessageSenders } from './channels/index.ts';
import { startReconciliation } from './reconciliation/index.ts';
import { startSenders } from './senders/index.ts';
import { startTemporalWorker } from './temporal.ts';
import { startUpkeep } from './upkeep.ts';
import { startWebhooks } from './webhooks/index.ts';

/**
 * `intake` takes send requests and tracking hits off their queues. `consumers` process events (timelines, segments,
 * scores, figures, journeys, webhooks) and maintain the tables. They are separate, so that slow consumers do not delay
 * emails. `webhooks` delivers what the consumers have made for other systems.
 */
export const ROLES = ['temporal', 'intake', 'consumers', 'relay', 'senders', 'webhooks'] as const;
export type Role = (typeof ROLES)[number];

interface Running {
  stop: () => Promise<void>;
}

const together = (parts: readonly Running[]): Running => ({
  stop: async () => {
    await Promise.all(parts.map((part) => part.stop()));
  },
});

async function startIntake(deps: Deps): Promise<Running> {
  const queues = await queueHandlers(deps);
  return together(await Promise.all(queues.map((queue) => consumeBatches(deps, queue))));
}

async function startConsumers(deps: Deps): Promise<Running> {
  const consumers: Running[] = [
    startUpkeep(deps),
    startHitClassifier(deps),
    startBounceReader(deps),
    startReconciliation(deps),
  ];
  for (const handler of eventHandlers()) consumers.push(await runEventHandler(deps, handler));
  return together(consumers);
}

/** Does what needs Temporal when it is there; the other roles do not wait for it. */
async function startWithTemporal(deps: Deps, roles: readonly Role[]): Promise<Running> {
  const part = await connectPart(deps.log, 'Temporal (workflows)', {
    connect: async () => {
      await ensureSearchAttributes(deps.temporal);
      return roles.includes('temporal') ? startTemporalWorker(deps) : null;
    },
    close: (worker) => worker?.stop(),
    isAway: isTemporalAway,
    isSaid: (error) => error instanceof TemporalAway,
    later: true,
    silentMs: Infinity,
  });
  return part;
}

/** Sets up what the roles need and starts them; `stop` drains them. */
export async function startWorker(deps: Deps, roles: readonly Role[]): Promise<Running> {
  await ensureStreams(deps.nats.jsm, deps.env);
  await ensureCopies(deps.nats, copiesOf(deps.env.NATS_LISTENERS), deps.env.EVENTS_MAX_AGE);
  const handlers = eventHandlers();
  // Before the relay starts: batches are kept only for consumers that exist.
  await ensureEventConsumers(deps.nats, handlers);
  await forwardSingleEvents(deps, handlers);
  const running: Running[] = [await startWithTemporal(deps, roles)];
  if (roles.includes('intake')) running.push(await startIntake(deps));
  if (roles.includes('consumers')) running.push(await startConsumers(deps));
  if (roles.includes('relay')) {
    running.push(
      startRelay({
        databaseUrl: deps.env.DATABASE_URL,
        nats: deps.nats,
        log: deps.log,
        metrics: deps.metrics,
        checkConnection: (client) => deps.postgres.check(client),
        startWorkflow: (start) => startFromOutbox(deps, start),
        runJob: (start) => runWorkflow(deps.temporal, start),
      }),
    );
  }
  if (roles.includes('senders')) running.push(startAccountMails(deps), startSenders(deps), startMessageSenders(deps));
  if (roles.includes('webhooks')) running.push(startWebhooks(deps));
  return together(running);
}
