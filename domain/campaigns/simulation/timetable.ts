/** What is due when (ms). Times are few: what enters together waits alike. */
export class Timetable<T> {
  readonly #due = new Map<number, T[]>();

  add(time: number, item: T): void {
    const others = this.#due.get(time);
    if (others) others.push(item);
    else this.#due.set(time, [item]);
  }

  /** The earliest time; undefined if nothing is due any more. */
  next(): { time: number } | undefined {
    let earliest: number | undefined;
    for (const time of this.#due.keys()) if (earliest === undefined || time < earliest) earliest = time;
    return earliest === undefined ? undefined : { time: earliest };
  }

  take(time: number): T[] {
    const taken = this.#due.get(time) ?? [];
    this.#due.delete(time);
    return taken;
  }

  rest(): T[] {
    return [...this.#due.values()].flat();
  }
}
