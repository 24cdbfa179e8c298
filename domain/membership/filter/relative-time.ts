const DAY_MS = 86_400_000;

/** A placeholder for a time relative to now in a cached statement; `fillMoments` replaces it at each run. */
class RelativeTime {
  readonly #days: number;
  readonly #form: 'instant' | 'day';

  constructor(days: number, form: 'instant' | 'day') {
    this.#days = days;
    this.#form = form;
  }

  at(now: Date): Date | string {
    const instant = new Date(now.getTime() - this.#days * DAY_MS);
    return this.#form === 'instant' ? instant : instant.toISOString().slice(0, 10);
  }
}

/** The current time for a filter; `later`: `fillMoments` fills it in at each run of the statement. */
export type Now = Date | 'later';

/** The time `days` × 24 h before now, as an instant or as its date in UTC. */
export function momentBefore(now: Now, days: number, form: 'instant' | 'day'): unknown {
  const moment = new RelativeTime(days, form);
  return now === 'later' ? moment : moment.at(now);
}

/** Fills in `now` for the placeholders in the values of a statement that was compiled with `later`. */
export function fillMoments(values: readonly unknown[], now: Date): unknown[] {
  return values.map((value) => (value instanceof RelativeTime ? value.at(now) : value));
}
