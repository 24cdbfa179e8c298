import { setImmediate as endOfTurn, setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../../../config/logger.ts';
import { Batcher } from '../../../domain/common/batcher.ts';
import type { Hit } from '../../../domain/emails/tracking/record-hits.ts';
import { encode, publishAll, type Nats } from '../../../events/nats.ts';
import { TRACKING_SUBJECT } from '../../../events/streams.ts';

/** No answer waits longer than this for JetStream. */
const ANSWER_MS = 250;
const PUBLISH_MS = 2_000;
/** Messages on their way: with one, the API would idle while JetStream stores, and JetStream while the API answers. */
const AT_ONCE = 2;
const PAUSE_MS = 200;
const HITS_PER_MESSAGE = 100;
const MAX_WAITING = 10_000;

interface Waiting {
  hit: Hit;
  stored: () => void;
  /** A click whose answer was a 503: its visitor will come again. */
  abandoned: boolean;
}

/**
 * Publishes hits to JetStream; what arrives while publications are in flight forms the next message, so the load makes
 * the batches. A hit that is stored survives whatever happens to this process. When JetStream is away, opens are kept
 * in memory and tried again (hits are taken in once by their id), clicks are refused.
 */
class HitPublisher {
  readonly #nats: Nats;
  readonly #log: Logger;
  readonly #batches = new Batcher<Waiting>({
    // To wait for more by the clock, even for 1 ms, leaves both processors idle under load: the answers of one round are
    // what brings the next requests.
    gather: () => endOfTurn(),
    most: HITS_PER_MESSAGE,
    atOnce: AT_ONCE,
    handle: (batch) => this.#publishBatch(batch),
  });

  constructor(nats: Nats, log: Logger) {
    this.#nats = nats;
    this.#log = log;
  }

  /** Whether the hit was stored in time to say so. */
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

/** The one publisher of a connection: hits of all requests share its messages. */
export function hitPublisher(nats: Nats, log: Logger): HitPublisher {
  const publisher = publishers.get(nats) ?? new HitPublisher(nats, log);
  publishers.set(nats, publisher);
  return publisher;
}
