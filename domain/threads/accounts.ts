import { LRUCache } from 'lru-cache';

/** A tenant whose jobs take longer, on the average of the last ones, is slow. */
const SLOW_MS = 30;
const KEPT = 10_000;

/** How long the last jobs of each tenant took in this process. */
export class Accounts {
  readonly #averages = new LRUCache<string, { ms: number; wallMs: number }>({
    max: KEPT,
    dispose: (_, tenantId, why) => why === 'evict' && this.#slow.delete(tenantId),
  });

  readonly #slow = new Set<string>();

  /** Notes the CPU time and the wall-clock time of a job; the latest counts most. */
  note(tenantId: string, ms: number, wallMs = ms): void {
    const { ms: before, wallMs: wallBefore } = this.#averages.get(tenantId) ?? { ms, wallMs };
    const average = { ms: before + (ms - before) / 4, wallMs: wallBefore + (wallMs - wallBefore) / 4 };
    this.#averages.set(tenantId, average);
    if (average.ms > SLOW_MS) this.#slow.add(tenantId);
    else this.#slow.delete(tenantId);
  }

  /** Does a job on an event loop, which is surely short. It counts for a tenant that is slow, so that it is not for ever. */
  short<T>(tenantId: string, work: () => T): T {
    if (!this.#slow.has(tenantId)) return work();
    const begun = performance.now();
    const done = work();
    this.note(tenantId, performance.now() - begun);
    return done;
  }

  get slow(): Iterable<string> {
    return this.#slow;
  }

  isSlow(tenantId: string): boolean {
    return this.#slow.has(tenantId);
  }

  /** How many jobs the tenant gets done in a time, by what its last ones took: at least one. */
  jobsIn(tenantId: string, ms: number, most: number): number {
    return Math.max(1, Math.min(most, Math.floor(ms / Math.max(this.#averages.get(tenantId)?.wallMs ?? 0, 0.01))));
  }
}
