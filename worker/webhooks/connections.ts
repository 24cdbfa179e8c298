import { FairQueue } from './fair-queue.ts';
import type { Lane, Trust } from './lane.ts';

/** The share of the connections that lanes may have that are not trusted. */
const SHARES: Record<Trust, number> = { trusted: 1, new: 1 / 2, slow: 1 / 4 };
const KINDS = ['trusted', 'new', 'slow'] as const;
/** An endpoint that takes longer is slow. */
export const SLOW_MS = 5_000;

/** A request on its way. */
export interface Flight {
  lane: Lane;
  kind: Trust;
  /** By performance.now(). */
  since: number;
}

/**
 * Who may send next. Slow and failing endpoints share a quarter of the connections, and those of which nothing is known
 * yet half of them, so that neither can take all; tenants take turns, and so do the endpoints of a tenant.
 */
export class Connections {
  readonly #most: number;
  readonly #queues: Record<Trust, FairQueue<Lane>> = {
    trusted: new FairQueue(),
    new: new FairQueue(),
    slow: new FairQueue(),
  };
  readonly #used: Record<Trust, number> = { trusted: 0, new: 0, slow: 0 };
  readonly flights = new Set<Flight>();
  #turn = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many lanes wait for a connection. */
  get waiting(): number {
    return KINDS.reduce((sum, kind) => sum + this.#queues[kind].size, 0);
  }

  get isFull(): boolean {
    return this.flights.size >= this.#most;
  }

  /** Queues a lane if it can send. */
  offer(lane: Lane): void {
    if (lane.canSend) this.#queues[lane.trust].push(lane);
  }

  /** A connection for the lane whose turn it is; null if there is none, or no lane may have it. */
  take(): Flight | null {
    if (this.isFull) return null;
    for (let tried = 0; tried < KINDS.length; tried += 1) {
      const kind = KINDS[(this.#turn + tried) % KINDS.length]!;
      while (this.#used[kind] < Math.max(1, Math.floor(this.#most * SHARES[kind]))) {
        const lane = this.#queues[kind].shift();
        if (!lane) break;
        // What is known of it has changed since: it belongs into another queue, or has nothing to send any more.
        if (lane.trust !== kind || !lane.canSend) {
          this.offer(lane);
          continue;
        }
        this.#turn += tried + 1;
        const flight: Flight = { lane, kind, since: performance.now() };
        this.flights.add(flight);
        this.#used[kind] += 1;
        lane.inFlight += 1;
        return flight;
      }
    }
    return null;
  }

  free(flight: Flight): void {
    if (!this.flights.delete(flight)) return;
    this.#used[flight.kind] -= 1;
    flight.lane.inFlight -= 1;
  }

  /** Counts requests that have been on their way for long as those of slow endpoints, and their lanes as slow. */
  noticeSlow(now = performance.now()): void {
    for (const flight of this.flights) {
      if (flight.kind === 'slow' || now - flight.since < SLOW_MS) continue;
      this.#used[flight.kind] -= 1;
      this.#used.slow += 1;
      flight.kind = 'slow';
      flight.lane.trust = 'slow';
    }
  }
}
