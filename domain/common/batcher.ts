export interface BatcherOptions<Item> {
  /** Waits for more items before each batch: to the end of the event loop's turn, or for some milliseconds. */
  gather: () => Promise<unknown>;
  /** The most items of a batch. */
  most: number;
  /** The most batches handled at once: what is added while these are on their way makes the next. */
  atOnce: number;
  /** Handles a batch. It must not reject; it may put items back. */
  handle: (batch: Item[]) => Promise<void>;
}

/** Handles items in batches, in the order in which they are added: under load, the batches become larger. */
export class Batcher<Item> {
  readonly #options: BatcherOptions<Item>;
  #items: Item[] = [];
  #gathering = false;
  #handling = 0;

  constructor(options: BatcherOptions<Item>) {
    this.#options = options;
  }

  /** How many items are in no batch yet. */
  get size(): number {
    return this.#items.length;
  }

  add(item: Item): void {
    this.#items.push(item);
    void this.#run();
  }

  /** Adds items before all others. For `handle`: they are in a batch again when it has ended. */
  putBack(items: readonly Item[]): void {
    this.#items.unshift(...items);
  }

  async #run(): Promise<void> {
    while (this.#items.length > 0 && !this.#gathering && this.#handling < this.#options.atOnce) {
      this.#gathering = true;
      await this.#options.gather();
      this.#gathering = false;
      const batch = this.#items.splice(0, this.#options.most);
      this.#handling += 1;
      if (this.#items.length > 0) void this.#run();
      await this.#options.handle(batch);
      this.#handling -= 1;
    }
  }
}
