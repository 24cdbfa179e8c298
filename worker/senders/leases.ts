import type { Deps } from '../../runtime/deps.ts';
import { engineEm } from '../../db/orm.ts';
import { renewLeases } from '../../domain/emails/ledger/lease-emails.ts';

/** How long the lease of an email on a connection lasts without renewal. */
export const SENDING_LEASE_SECONDS = 60;
const RENEW_EVERY_MS = 15_000;
/** This holder considers a lease expired this much earlier than Postgres does. */
const MARGIN_MS = 5_000;

/**
 * The leases of the emails that this holder has on connections. Expiry is measured by this machine's monotonic clock
 * from before the granting statement was sent, so a lease always expires here before it expires in Postgres. A process
 * that was frozen finds its leases expired.
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

  /** When a lease that was requested at `askedAt` expires, both as times of performance.now(). */
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
