import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';

/** Of ten messages six are transactional, three of journeys and one of campaigns, as long as each lane has some. */
const SHARES: Record<EmailLane, number> = { transactional: 6, journey: 3, bulk: 1 };

interface Waiting<T> {
  items: T[];
  share: number;
  /** What it has not had of its share yet. */
  credit: number;
}

/** What waits for a connection, by lane. A lane that is empty leaves its share to the others. */
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

  /** What waits in a lane, in its order. */
  items(lane: EmailLane): readonly T[] {
    return this.#lanes.get(lane)!.items;
  }

  /**
   * Up to `count` items that `may` be taken, the lanes mixed by their shares (smooth weighted round-robin), each lane in
   * its order.
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
