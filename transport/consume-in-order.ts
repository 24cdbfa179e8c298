import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Env } from '../config/env-schema.ts';
import { session } from '../db/orm.ts';
import { consumeBatches, type Consumer, type ConsumerDeps } from './consume.ts';
import { tryLock, type LockName } from './locks.ts';
import { decodeText, rewindConsumer, type JsMsg } from './nats.ts';
import { Wake } from '../lib/async/wake.ts';

/** How often a process that does not handle the messages tries to take over. */
const STANDBY_MS = 2_000;
const PAUSE_MS = 200;
/** How many batches of events wait in this process at most. */
const WAITING = 500;
/** The members of a batch that come before its events. */
const HEAD_BYTES = 300;

/** The tenant of a batch of events, which is near its beginning. */
function tenantOf({ data }: JsMsg): string {
  return /"tenantid":"([^"\\]*)"/.exec(decodeText(data.subarray(0, HEAD_BYTES)))?.[1] ?? '';
}

/**
 * Like `consumeBatches`, but handles the messages of each tenant in their order, and lets tenants take turns. One process
 * at a time does this, which holds the lock in Postgres. Who takes over begins with the first message that is not
 * acknowledged; so does whoever misses one. Messages that were handled, but not acknowledged, come again.
 */
export async function consumeInOrder(
  deps: ConsumerDeps & { env: Pick<Env, 'DATABASE_URL'> },
  options: Omit<Parameters<typeof consumeBatches>[1], 'inOrder'>,
  lock: LockName,
): Promise<Consumer> {
  const { log } = deps;
  const { stream, name } = options;
  const standby = new Wake(STANDBY_MS);
  let stopping = false;
  let end: () => void = () => {};

  /** Handles messages until one was missed, the lock is lost, or this stops. */
  const consume = async (lost: Promise<void>): Promise<void> => {
    await rewindConsumer(deps.nats, stream, name);
    const ended = Promise.withResolvers<void>();
    end = ended.resolve;
    let lastDelivery: number | null = null;
    const onArrival = ({ info: { deliverySequence } }: JsMsg): void => {
      if (lastDelivery !== null && deliverySequence !== lastDelivery + 1) {
        log.warn({ consumer: name, deliverySequence, lastDelivery }, 'messages were lost on their way: begins anew');
        ended.resolve();
      }
      lastDelivery = deliverySequence;
    };
    const inOrder = { laneOf: tenantOf, waiting: WAITING, onArrival };
    const consumer = await consumeBatches(deps, { ...options, inOrder });
    if (stopping) ended.resolve();
    await Promise.race([ended.promise, lost]);
    await consumer.stop();
  };

  const run = async (): Promise<void> => {
    while (!stopping) {
      const client = new pg.Client({
        connectionString: deps.env.DATABASE_URL,
        ...session,
        application_name: `perennial-consumer-${name}`,
      });
      const lost = new Promise<void>((resolve) => {
        client.on('error', () => resolve());
        client.on('end', () => resolve());
      });
      let isLost = false;
      void lost.then(() => (isLost = true));
      try {
        await client.connect();
        while (!stopping && !(await tryLock(client, lock))) await standby.wait();
        while (!stopping && !isLost) {
          await consume(lost);
          if (!stopping) await delay(PAUSE_MS);
        }
      } catch (error) {
        if (!stopping) log.warn({ err: error, consumer: name }, 'consumer failed, will retry');
        await delay(PAUSE_MS);
      } finally {
        await client.end().catch(() => undefined);
      }
    }
  };

  const running = run();
  return {
    async stop() {
      stopping = true;
      standby.now();
      end();
      await running;
    },
  };
}
