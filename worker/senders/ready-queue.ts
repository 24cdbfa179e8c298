import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';

/** While all lanes have items, of ten messages six are transactional, three from journeys and one from campaigns. */
const SHARES: Record<EmailLane, number> = { transactional: 6, journey: 3, bulk: 1 };

interface Waiting<T> {
  items: T[];
  share: number;
  /** The share that the lane has not used yet (smooth weighted round-robin). */
  credit: number;
}

/** The items that wait for a connection, by lane. The share of an empty lane goes to the others. */
export class ReadyQueue<T> {
  readonly #lanes = new Map<EmailLane, Waiting<T>>(
    EMAIL_LANES.map((lane) => [lane, { items: [], share: SHARES[lane], credit: 0 }]),
  );
  readonly #all = [...this.#lanes.values()];

  push(lane: EmailLane, item: T): void {
    this.#lanes.get(lane)!.items.push(item);
  }

  unshift(lane: EmailLane, item: T): void {
    this.#lanes.get(lane)!.items.unshift(item);
  }

  size(lane?: EmailLane): number {
    if (lane) return this.#lanes.get(lane)!.items.length;
    return this.#all.reduce((sum, { items }) => sum + items.length, 0);
  }

  /** The items of a lane, in order. */
  items(lane: EmailLane): readonly T[] {
    return this.#lanes.get(lane)!.items;
  }

  /**
   * Removes and returns up to `count` items for which `may` is true. Lanes are mixed by their shares (smooth weighted
   * round-robin); each lane keeps its order.
   */
  take(count: number, may: (item: T) => boolean = () => true): T[] {
    const taken: T[] = [];
    while (taken.length < count) {
      let next: { lane: Waiting<T>; at: number } | null = null;
      let total = 0;
      for (const lane of this.#all) {
        const at = lane.items.findIndex(may);
        if (at < 0) continue;
        lane.credit += lane.share;
        total += lane.share;
        if (next === null || lane.credit > next.lane.credit) next = { lane, at };
      }
      if (next === null) break;
      next.lane.credit -= total;
      taken.push(...next.lane.items.splice(next.at, 1));
    }
    return taken;
  }
}
