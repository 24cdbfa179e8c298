import { setImmediate as endOfTurn, setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../config/logger.ts';
import { Batcher } from '../../lib/async/batcher.ts';
import type { Hit } from '../../domain/tracking/hit.ts';
import { encode, publishAll, type Nats } from '../../transport/nats.ts';
import { TRACKING_SUBJECT } from '../../transport/streams.ts';

/** A response waits at most this long for JetStream. */
const ANSWER_MS = 250;
const PUBLISH_MS = 2_000;
/**
 * Messages in flight. With only one, the API would idle while JetStream stores, and JetStream while the API responds.
 */
const AT_ONCE = 2;
const PAUSE_MS = 200;
const HITS_PER_MESSAGE = 100;
const MAX_WAITING = 10_000;

interface Waiting {
  hit: Hit;
  stored: () => void;
  /** A click that was answered with 503: its visitor will retry. */
  abandoned: boolean;
}

/**
 * Publishes hits to JetStream. Hits that arrive while messages are in flight form the next message, so the load sets
 * the batch size. A stored hit survives a crash of this process. While JetStream is unavailable, opens are kept in
 * memory and retried (hits are deduplicated by their id), and clicks are refused.
 */
class HitPublisher {
  readonly #nats: Nats;
  readonly #log: Logger;
  readonly #batches = new Batcher<Waiting>({
    // Waiting for more on a timer, even for 1 ms, would leave both processors idle under load: the responses of one
    // round bring the next requests.
    gather: () => endOfTurn(),
    maxItems: HITS_PER_MESSAGE,
    maxConcurrent: AT_ONCE,
    handle: (batch) => this.#publishBatch(batch),
  });

  constructor(nats: Nats, log: Logger) {
    this.#nats = nats;
    this.#log = log;
  }

  /** Whether the hit was stored within ANSWER_MS. */
  async publish(hit: Hit): Promise<boolean> {
    if (this.#batches.size >= MAX_WAITING) return false;
    return new Promise((resolve) => {
      const entry: Waiting = {
        hit,
        abandoned: false,
        stored: () => {
          clearTimeout(timer);
          resolve(true);
        },
      };
      const timer = setTimeout(() => {
        entry.abandoned = hit.type === 'CLICK';
        resolve(false);
      }, ANSWER_MS);
      this.#batches.add(entry);
    });
  }

  async #publishBatch(taken: readonly Waiting[]): Promise<void> {
    const batch = taken.filter((entry) => !entry.abandoned);
    if (batch.length === 0) return;
    try {
      await publishAll(
        this.#nats,
        [{ subject: TRACKING_SUBJECT, data: encode({ hits: batch.map((entry) => entry.hit) }) }],
        PUBLISH_MS,
      );
      for (const entry of batch) entry.stored();
    } catch (error) {
      this.#log.warn({ err: error, hits: batch.length }, 'could not store tracking hits, will retry');
      this.#batches.putBack(batch);
      await delay(PAUSE_MS);
    }
  }
}

const publishers = new WeakMap<Nats, HitPublisher>();

/** The publisher of a connection: hits of all requests share its messages. */
export function hitPublisher(nats: Nats, log: Logger): HitPublisher {
  const publisher = publishers.get(nats) ?? new HitPublisher(nats, log);
  publishers.set(nats, publisher);
  return publisher;
}
