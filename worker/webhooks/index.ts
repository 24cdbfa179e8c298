import { OUTBOX_PING } from '../../transport/streams.ts';
import { beginAtZero } from '../../config/metrics.ts';
import type { WatchedTable } from '../../events/outbox.ts';
import type { Deps } from '../../runtime/deps.ts';
import { Deliverer } from './deliverer.ts';

/** Starts to deliver webhooks; any number of processes may. Each has at most so many endpoints in hand. */
export function startWebhooks(deps: Deps, mostLanes?: number): { stop: () => Promise<void> } {
  beginAtZero(deps.metrics.webhooks, 'outcome', ['delivered', 'failed', 'postponed']);
  const deliverer = new Deliverer(deps, mostLanes);
  const ping = deps.nats.connection.subscribe(OUTBOX_PING, {
    callback: (error, message) => {
      const [table, ...details] = error ? [] : message.string().split(' ');
      if (table === ('webhook_lanes' satisfies WatchedTable)) deliverer.wake(details);
    },
  });
  return {
    async stop() {
      ping.unsubscribe();
      await deliverer.stop();
    },
  };
}
