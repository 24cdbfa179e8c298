import type { JsMsg } from './nats.ts';

interface Waiting {
  message: JsMsg;
  /** When it came, by performance.now(). */
  at: number;
}

/** Messages that wait to be handled, in lanes that take turns; a lane keeps its order. */
export class MessageQueue {
  readonly #laneOf: (message: JsMsg) => string;
  /** In the order of their turns. */
  readonly #lanes = new Map<string, Waiting[]>();
  #length = 0;
  #bytes = 0;

  constructor(laneOf: (message: JsMsg) => string) {
    this.#laneOf = laneOf;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(message: JsMsg): void {
    const lane = this.#laneOf(message);
    const waiting = this.#lanes.get(lane) ?? [];
    this.#lanes.set(lane, waiting);
    waiting.push({ message, at: performance.now() });
    this.#length += 1;
    this.#bytes += message.data.length;
  }

  /** Takes the next messages out: as many as `most`, and no more once they have `mostBytes`. */
  take(most: number, mostBytes: number): Waiting[] {
    const taken: Waiting[] = [];
    let bytes = 0;
    while (this.#length > 0 && taken.length < most && (bytes === 0 || bytes < mostBytes)) {
      const [lane, waiting] = this.#lanes.entries().next().value!;
      const next = waiting.shift()!;
      this.#lanes.delete(lane);
      if (waiting.length > 0) this.#lanes.set(lane, waiting);
      this.#length -= 1;
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
