/** Assumed duration of sending to a domain before any was measured. */
const FIRST_GUESS_MS = 50;
const LEAST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 600_000;

interface Domain {
  sending: number;
  /** Moving average of how long sending an email takes. */
  tookMs: number;
  /** When the emails that were postponed last become due again. */
  backAt: number;
}

/** The domain of an address, in lower case. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1).toLowerCase();

/** Counts the emails being sent to each domain, so that a slow one uses at most `limit` connections. 0 = no limit. */
export class Domains {
  readonly limit: number;
  readonly #now: () => number;
  readonly #domains = new Map<string, Domain>();

  constructor(limit: number, now: () => number = () => performance.now()) {
    this.limit = limit;
    this.#now = now;
  }

  /** Whether another email may be sent to this domain now. */
  isFree(name: string): boolean {
    return this.limit === 0 || (this.#domains.get(name)?.sending ?? 0) < this.limit;
  }

  /** Counts an email that gets a connection. */
  enter(name: string): void {
    if (this.limit > 0) this.#of(name).sending += 1;
  }

  /** Uncounts an email that has left its connection; `tookMs` = how long sending took, if it was sent. */
  leave(name: string, tookMs: number | null = null): void {
    if (this.limit === 0) return;
    const domain = this.#of(name);
    domain.sending -= 1;
    if (tookMs !== null) domain.tookMs += (tookMs - domain.tookMs) / 10;
    if (domain.sending === 0 && domain.backAt <= this.#now()) this.#domains.delete(name);
  }

  /**
   * How many milliseconds to postpone an email of a domain for which enough emails wait already: half the time that
   * those need, so that an email is postponed only a few times and is not sent later than necessary.
   */
  putOff(name: string): number {
    const domain = this.#of(name);
    domain.backAt = Math.max(domain.backAt, this.#now() + LEAST_DELAY_MS) + domain.tookMs / this.limit / 2;
    return Math.min(domain.backAt - this.#now(), LONGEST_DELAY_MS);
  }

  #of(name: string): Domain {
    let domain = this.#domains.get(name);
    if (!domain) this.#domains.set(name, (domain = { sending: 0, tookMs: FIRST_GUESS_MS, backAt: 0 }));
    return domain;
  }
}
