import { FairQueue, type Queued } from '../lib/async/fair-queue.ts';

interface Waiting extends Queued {
  isOfTenant: boolean;
  begin: () => void;
}

/** The part of the connections that one tenant leaves to others: none of fewer than four. */
const LEFT_TO_OTHERS = 1 / 4;

/**
 * Tenants take turns at the connections of a process: a burst of one tenant's transactions holds up another's by one of
 * them, not by all, and long ones of one tenant do not hold all connections. Every second turn is the engine's, which
 * works for all tenants and may hold all connections.
 */
export class ConnectionTurns {
  readonly #max: number;
  readonly #mostOfTenant: number;
  readonly #waitMs: number;
  readonly #tenants = new FairQueue<Waiting>();
  readonly #engine: Waiting[] = [];
  readonly #heldBy = new Map<string, number>();
  #held = 0;
  /** Whether the last turn that was waited for was the engine's. */
  #wasEngine = false;
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
    return this.#tenants.size + this.#engine.length;
  }

  /** Does `work`, which uses one connection, in the turn of a tenant (null: of the engine). */
  async run<T>(tenantId: string | null, work: () => Promise<T>): Promise<T> {
    const asked = performance.now();
    await this.#takeTurn(tenantId).finally(() => this.onTurn((performance.now() - asked) / 1000));
    try {
      return await work();
    } finally {
      this.#count(tenantId, -1);
      this.#next()?.begin();
    }
  }

  #mayHold(tenantId: string | null): boolean {
    return this.#held < this.#max && (tenantId === null || (this.#heldBy.get(tenantId) ?? 0) < this.#mostOfTenant);
  }

  #count(tenantId: string | null, change: 1 | -1): void {
    this.#held += change;
    if (tenantId === null) return;
    const held = (this.#heldBy.get(tenantId) ?? 0) + change;
    if (held > 0) this.#heldBy.set(tenantId, held);
    else this.#heldBy.delete(tenantId);
  }

  #next(): Waiting | null {
    const ofTenant = (): Waiting | null => this.#tenants.shift((tenantId) => this.#mayHold(tenantId));
    const ofEngine = (): Waiting | null => this.#engine.shift() ?? null;
    const next = this.#wasEngine ? (ofTenant() ?? ofEngine()) : (ofEngine() ?? ofTenant());
    this.#wasEngine = next !== null && !next.isOfTenant;
    return next;
  }

  #takeTurn(tenantId: string | null): Promise<void> {
    if (this.#mayHold(tenantId)) {
      this.#count(tenantId, 1);
      return Promise.resolve();
    }
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        isQueued: false,
        isOfTenant: tenantId !== null,
        key: { tenantId: tenantId ?? '' },
        begin: () => {
          clearTimeout(timer);
          this.#count(tenantId, 1);
          resolve();
        },
      };
      // The text of the pool's own error, which callers take for a server that is busy.
      const giveUp = (): void => {
        if (waiting.isOfTenant) this.#tenants.remove(waiting);
        else this.#engine.splice(this.#engine.indexOf(waiting), 1);
        reject(new Error('timeout exceeded when trying to connect'));
      };
      const timer = this.#waitMs > 0 ? setTimeout(giveUp, this.#waitMs) : undefined;
      if (waiting.isOfTenant) this.#tenants.push(waiting);
      else this.#engine.push(waiting);
    });
  }
}
