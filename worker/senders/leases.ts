import type { Deps } from '../../runtime/deps.ts';
import { engineEm } from '../../db/orm.ts';
import { renewLeases } from '../../domain/emails/ledger/lease-emails.ts';

/** How long an email on a connection is this holder's without a sign of life. */
export const SENDING_LEASE_SECONDS = 60;
const RENEW_EVERY_MS = 15_000;
/** So much earlier than Postgres this holder considers a lease ended. */
const MARGIN_MS = 5_000;

/**
 * What this holder has on connections, and until when. The time is of this machine's monotonic clock, taken before the
 * statement that grants the lease was sent, so a lease always ends here before it ends in Postgres. A process that was
 * frozen finds its leases ended.
 */
export class Leases {
  readonly #deps: Deps;
  readonly #holder: string;
  readonly #until = new Map<number, number>();
  readonly #timer: NodeJS.Timeout;

  constructor(deps: Deps, holder: string) {
    this.#deps = deps;
    this.#holder = holder;
    this.#timer = setInterval(() => void this.#renew(), RENEW_EVERY_MS);
  }

  /** When a lease ends that is asked for at `askedAt`, a time of performance.now(). */
  static end(askedAt: number, seconds: number): number {
    return askedAt + seconds * 1000 - MARGIN_MS;
  }

  hold(id: number, until: number): void {
    this.#until.set(id, until);
  }

  holds(id: number): boolean {
    return performance.now() < (this.#until.get(id) ?? 0);
  }

  drop(id: number): void {
    this.#until.delete(id);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const ids = [...this.#until.keys()];
    if (ids.length === 0) return;
    const askedAt = performance.now();
    try {
      const held = new Set(await renewLeases(engineEm(this.#deps.orm), this.#holder, ids, SENDING_LEASE_SECONDS));
      for (const id of ids) {
        if (!this.#until.has(id)) continue;
        this.#until.set(id, held.has(id) ? Leases.end(askedAt, SENDING_LEASE_SECONDS) : 0);
      }
    } catch (error) {
      this.#deps.log.warn({ err: error, emails: ids.length }, 'could not renew leases');
    }
  }
}
