const DAY_MS = 86_400_000;

/** A time that is not known yet, in a statement that is kept and run again: see `fillMoments`. */
class Moment {
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

/** What time it is for a filter; `later` when that is said each time the statement runs. */
export type Now = Date | 'later';

/** `days` × 24 h before now, as an instant or as its date in UTC. */
export function momentBefore(now: Now, days: number, form: 'instant' | 'day'): unknown {
  const moment = new Moment(days, form);
  return now === 'later' ? moment : moment.at(now);
}

/** The values of a statement that was compiled for `later`, at `now`. */
export function fillMoments(values: readonly unknown[], now: Date): unknown[] {
  return values.map((value) => (value instanceof Moment ? value.at(now) : value));
}
