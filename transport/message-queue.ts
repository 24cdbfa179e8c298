import { FairQueue, type Queued } from '../lib/async/fair-queue.ts';
import type { JsMsg } from './nats.ts';

interface Waiting extends Queued {
  message: JsMsg;
  /** When it came, by performance.now(). */
  at: number;
}

/** Messages that wait to be handled, in lanes that take turns; a lane keeps its order. */
export class MessageQueue {
  readonly #laneOf: (message: JsMsg) => string;
  readonly #lanes = new FairQueue<Waiting>();
  #bytes = 0;

  constructor(laneOf: (message: JsMsg) => string) {
    this.#laneOf = laneOf;
  }

  get length(): number {
    return this.#lanes.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(message: JsMsg): void {
    this.#lanes.push({ message, at: performance.now(), key: { tenantId: this.#laneOf(message) }, isQueued: false });
    this.#bytes += message.data.length;
  }

  /** Takes the next messages out: as many as `most`, and no more once they have `mostBytes`. */
  take(most: number, mostBytes: number): Waiting[] {
    const taken: Waiting[] = [];
    let bytes = 0;
    while (this.length > 0 && taken.length < most && (bytes === 0 || bytes < mostBytes)) {
      const next = this.#lanes.shift()!;
      bytes += next.message.data.length;
      taken.push(next);
    }
    this.#bytes -= bytes;
    return taken;
  }

  /** Takes all messages out. */
  clear(): JsMsg[] {
    return this.take(Infinity, Infinity).map(({ message }) => message);
  }
}
