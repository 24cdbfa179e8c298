import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';

/** Of ten messages six are transactional, three of journeys and one of campaigns, as long as each lane has some. */
const SHARES: Record<EmailLane, number> = { transactional: 6, journey: 3, bulk: 1 };

/** What waits for a connection, by lane. A lane that is empty leaves its share to the others. */
export class ReadyQueue<T> {
  readonly #lanes = new Map<EmailLane, T[]>(EMAIL_LANES.map((lane) => [lane, []]));
  readonly #credits = new Map<EmailLane, number>(EMAIL_LANES.map((lane) => [lane, 0]));

  push(lane: EmailLane, item: T): void {
    this.#lanes.get(lane)!.push(item);
  }

  unshift(lane: EmailLane, item: T): void {
    this.#lanes.get(lane)!.unshift(item);
  }

  size(lane?: EmailLane): number {
    if (lane) return this.#lanes.get(lane)!.length;
    return EMAIL_LANES.reduce((sum, each) => sum + this.size(each), 0);
  }

  /** What waits in a lane, in its order. */
  items(lane: EmailLane): readonly T[] {
    return this.#lanes.get(lane)!;
  }

  /**
   * Up to `count` items that `may` be taken, the lanes mixed by their shares (smooth weighted round-robin), each lane in
   * its order.
   */
  take(count: number, may: (item: T) => boolean = () => true): T[] {
    const taken: T[] = [];
    while (taken.length < count) {
      const first = new Map(EMAIL_LANES.map((lane) => [lane, this.#lanes.get(lane)!.findIndex(may)]));
      const waiting = EMAIL_LANES.filter((lane) => first.get(lane)! >= 0);
      if (waiting.length === 0) break;
      const total = waiting.reduce((sum, lane) => sum + SHARES[lane], 0);
      for (const lane of waiting) this.#credits.set(lane, this.#credits.get(lane)! + SHARES[lane]);
      const next = waiting.reduce((best, lane) => (this.#credits.get(lane)! > this.#credits.get(best)! ? lane : best));
      this.#credits.set(next, this.#credits.get(next)! - total);
      taken.push(...this.#lanes.get(next)!.splice(first.get(next)!, 1));
    }
    return taken;
  }
}
