/** Something that waits for its turn, of a tenant. */
export interface Queued {
  isQueued: boolean;
  key: { tenantId: string };
}

/** A queue in which tenants take turns, and so do the items of a tenant. An item is in it once. */
export class FairQueue<Item extends Queued> {
  /** In the order of their turns. */
  readonly #tenants = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The tenants of what is in it. */
  get tenants(): Iterable<string> {
    return this.#tenants.keys();
  }

  push(item: Item): void {
    if (item.isQueued) return;
    item.isQueued = true;
    this.#size += 1;
    const { tenantId } = item.key;
    const items = this.#tenants.get(tenantId);
    if (items) items.push(item);
    else this.#tenants.set(tenantId, [item]);
  }

  /** Takes the next one out. */
  shift(): Item | null {
    const [first] = this.#tenants;
    if (!first) return null;
    const [tenantId, items] = first;
    const item = items.shift()!;
    this.#tenants.delete(tenantId);
    if (items.length > 0) this.#tenants.set(tenantId, items);
    this.#size -= 1;
    item.isQueued = false;
    return item;
  }
}
