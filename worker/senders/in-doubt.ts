/** The weight of a new measurement in a moving average. */
const WEIGHT = 0.1;
const SECOND_MS = 1_000;

/** How many emails of a provider are in doubt (started and not settled yet), and how many of them are useful. */
export class InDoubt {
  /** Includes emails that are being started or settled. */
  count = 0;
  #turnMs: number | null = null;
  #sendMs: number | null = null;

  /** Call with the duration of a turn. */
  turnTook(ms: number): void {
    this.#turnMs = average(this.#turnMs, ms);
  }

  /** Call with the time that an email took on its connection. */
  sendTook(ms: number): void {
    this.#sendMs = average(this.#sendMs, ms);
  }

  /**
   * How many emails keep so many connections busy while Postgres settles and starts: two each with a slow
   * provider, many with a fast one; never more than they send in a second.
   */
  useful(connections: number): number {
    if (this.#turnMs === null || this.#sendMs === null) return connections;
    // One is sent, and one waits, so that its envelope can go with the dot. An email is also in doubt while it is
    // started and settled; on average half a turn passes before each of these.
    const busy = 2 + (3 * this.#turnMs) / this.#sendMs;
    return Math.ceil(connections * Math.max(1, Math.min(busy, SECOND_MS / this.#sendMs)));
  }
}

const average = (before: number | null, value: number): number =>
  before === null ? value : before + (value - before) * WEIGHT;
