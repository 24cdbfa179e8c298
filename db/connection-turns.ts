import { FairQueue, type Queued } from '../lib/async/fair-queue.ts';

interface Waiting extends Queued {
  begin: () => void;
}

/** The part of the connections that one tenant leaves to others. */
const LEFT_TO_OTHERS = 1 / 4;

/**
 * Tenants take turns at the connections of a process: a burst of one tenant's transactions holds up another's by one of
 * them, not by all, and long ones of one tenant never hold all connections. The engine takes turns like a tenant, and
 * may hold all.
 */
export class ConnectionTurns {
  readonly #max: number;
  readonly #mostOfTenant: number;
  readonly #waitMs: number;
  readonly #queue = new FairQueue<Waiting>();
  readonly #held = new Map<string, number>();
  #used = 0;
  /** Called with how long a transaction waited for its turn, or until it gave up (s). */
  onTurn: (seconds: number) => void = () => {};

  /** `max`: the number of connections. `waitMs`: how long to wait for one before failing; 0: without limit. */
  constructor(max: number, waitMs: number) {
    this.#max = max;
    this.#mostOfTenant = max - Math.floor(max * LEFT_TO_OTHERS);
    this.#waitMs = waitMs;
  }

  /** How many transactions wait for their turn. */
  get waiting(): number {
    return this.#queue.size;
  }

  /** Does `work`, which uses one connection, in the turn of a tenant (null: of the engine). */
  async run<T>(tenantId: string | null, work: () => Promise<T>): Promise<T> {
    const holder = tenantId ?? '';
    const asked = performance.now();
    await this.#takeTurn(holder).finally(() => this.onTurn((performance.now() - asked) / 1000));
    try {
      return await work();
    } finally {
      this.#count(holder, -1);
      this.#queue.shift((other) => this.#mayHold(other))?.begin();
    }
  }

  #mayHold(holder: string): boolean {
    return this.#used < this.#max && (holder === '' || (this.#held.get(holder) ?? 0) < this.#mostOfTenant);
  }

  #count(holder: string, change: 1 | -1): void {
    this.#used += change;
    const held = (this.#held.get(holder) ?? 0) + change;
    if (held > 0) this.#held.set(holder, held);
    else this.#held.delete(holder);
  }

  #takeTurn(holder: string): Promise<void> {
    if (this.#mayHold(holder)) {
      this.#count(holder, 1);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        isQueued: false,
        key: { tenantId: holder },
        begin: () => {
          clearTimeout(timer);
          this.#count(holder, 1);
          resolve();
        },
      };
      // The text of the pool's own error, which callers take for a server that is busy.
      const giveUp = (): void => {
        this.#queue.remove(waiting);
        reject(new Error('timeout exceeded when trying to connect'));
      };
      const timer = this.#waitMs > 0 ? setTimeout(giveUp, this.#waitMs) : undefined;
      this.#queue.push(waiting);
    });
  }
}
