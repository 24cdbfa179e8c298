import { FairQueue, type Queued } from '../../lib/async/fair-queue.ts';

/** What is known of whoever answers: in time; nothing yet; or the last time it failed, or took long. */
export type Trust = 'trusted' | 'new' | 'slow';

/** What waits for one endpoint, or for one tenant: it may be on several connections at once. */
export interface Line extends Queued {
  trust: Trust;
  readonly canSend: boolean;
  inFlight: number;
}

/** The share of the connections that lines may have that are not trusted. */
const SHARES: Record<Trust, number> = { trusted: 1, new: 1 / 2, slow: 1 / 4 };
const KINDS = ['trusted', 'new', 'slow'] as const;
/** Whoever takes longer to answer is slow. */
export const SLOW_MS = 5_000;

/** A request on its way. */
export interface Flight<L extends Line> {
  line: L;
  kind: Trust;
  /** By performance.now(). */
  since: number;
}

/**
 * Who may send next. Slow and failing lines share a quarter of the connections, and those of which nothing is known yet
 * half of them, so that neither can take all; tenants take turns, and so do the lines of a tenant.
 */
export class Connections<L extends Line> {
  readonly #most: number;
  readonly #queues: Record<Trust, FairQueue<L>> = {
    trusted: new FairQueue(),
    new: new FairQueue(),
    slow: new FairQueue(),
  };
  readonly #used: Record<Trust, number> = { trusted: 0, new: 0, slow: 0 };
  readonly flights = new Set<Flight<L>>();
  #turn = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many lines of these kinds wait for a connection, and of which tenants. */
  waiting(...kinds: readonly Trust[]): { lines: number; tenants: string[] } {
    const queues = kinds.map((kind) => this.#queues[kind]);
    return {
      lines: queues.reduce((sum, { size }) => sum + size, 0),
      tenants: [...new Set(queues.flatMap(({ tenants }) => [...tenants]))],
    };
  }

  get isFull(): boolean {
    return this.flights.size >= this.#most;
  }

  /** Queues a line if it can send. */
  offer(line: L): void {
    if (line.canSend) this.#queues[line.trust].push(line);
  }

  /** A connection for the line whose turn it is; null if there is none, or no line may have it. */
  take(): Flight<L> | null {
    if (this.isFull) return null;
    for (let tried = 0; tried < KINDS.length; tried += 1) {
      const kind = KINDS[(this.#turn + tried) % KINDS.length]!;
      while (this.#used[kind] < Math.max(1, Math.floor(this.#most * SHARES[kind]))) {
        const line = this.#queues[kind].shift();
        if (!line) break;
        // What is known of it has changed since: it belongs into another queue, or has nothing to send any more.
        if (line.trust !== kind || !line.canSend) {
          this.offer(line);
          continue;
        }
        this.#turn += tried + 1;
        const flight: Flight<L> = { line, kind, since: performance.now() };
        this.flights.add(flight);
        this.#used[kind] += 1;
        line.inFlight += 1;
        return flight;
      }
    }
    return null;
  }

  free(flight: Flight<L>): void {
    if (!this.flights.delete(flight)) return;
    this.#used[flight.kind] -= 1;
    flight.line.inFlight -= 1;
  }

  /** Counts requests that have been on their way for long as those of slow lines, and their lines as slow. */
  noticeSlow(now = performance.now()): void {
    for (const flight of this.flights) {
      if (flight.kind === 'slow' || now - flight.since < SLOW_MS) continue;
      this.#used[flight.kind] -= 1;
      this.#used.slow += 1;
      flight.kind = 'slow';
      flight.line.trust = 'slow';
    }
  }
}
