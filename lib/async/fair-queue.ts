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

  /** The items of a tenant, in order. */
  itemsOf(tenantId: string): readonly Item[] {
    return this.#tenants.get(tenantId) ?? [];
  }

  /** Takes an item out, before its turn. */
  remove(item: Item): void {
    const { tenantId } = item.key;
    const left = this.itemsOf(tenantId).filter((other) => other !== item);
    if (left.length === this.itemsOf(tenantId).length) return;
    if (left.length > 0) this.#tenants.set(tenantId, left);
    else this.#tenants.delete(tenantId);
    this.#size -= 1;
    item.isQueued = false;
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

  /** Takes the next one out, of the tenants that may have a turn. */
  shift(may: (tenantId: string) => boolean = () => true): Item | null {
    for (const [tenantId, items] of this.#tenants) {
      if (!may(tenantId)) continue;
      const item = items.shift()!;
      this.#tenants.delete(tenantId);
      if (items.length > 0) this.#tenants.set(tenantId, items);
      this.#size -= 1;
      item.isQueued = false;
      return item;
    }
    return null;
  }
}
