export interface BatcherOptions<Item> {
  /** Waits for more items before each batch: until the next turn of the event loop, or for some milliseconds. */
  gather: () => Promise<unknown>;
  /** The maximum number of items per batch. */
  maxItems: number;
  /** The maximum number of batches handled concurrently; items added in the meantime go into the next batch. */
  maxConcurrent: number;
  /** Handles a batch. It must not reject; it may put items back. */
  handle: (batch: Item[]) => Promise<void>;
}

/** Handles items in batches, in the order in which they were added. Under load, the batches become larger. */
export class Batcher<Item> {
  readonly #options: BatcherOptions<Item>;
  #items: Item[] = [];
  #gathering = false;
  #handling = 0;

  constructor(options: BatcherOptions<Item>) {
    this.#options = options;
  }

  /** The number of items that are in no batch yet. */
  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    this.#items.push(item);
    void this.#run();
  }

  /** Puts items back before all others. Call it from `handle`: they are in a batch again after it has ended. */
  putBack(items: readonly Item[]): void {
    this.#items.unshift(...items);
  }

  async #run(): Promise<void> {
    while (this.#items.length > 0 && !this.#gathering && this.#handling < this.#options.maxConcurrent) {
      this.#gathering = true;
      await this.#options.gather();
      this.#gathering = false;
      const batch = this.#items.splice(0, this.#options.maxItems);
      this.#handling += 1;
      if (this.#items.length > 0) void this.#run();
      await this.#options.handle(batch);
      this.#handling -= 1;
    }
  }
}
