const FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
/** The longest pause after refusals: a retry is cheap, and a provider that has recovered is soon used again. */
const LONGEST_PAUSE_MS = 15_000;
/** The pause after silence: a silent provider blocks the message that tries it, so it is tried less often. */
const SILENT_PAUSE_MS = 30_000;
const TRIAL_MS = 2_000;

export type BreakerState = 'closed' | 'open' | 'trial';

/**
 * A circuit breaker for a provider. Five failures in a row open it, for a second and then twice as long each time, up
 * to a quarter of a minute; silence opens it at once, for half a minute. After the pause, and at the start, it is in
 * `trial` (half-open): one message tries the provider; while that takes long, other messages use other providers.
 */
export class Breaker {
  readonly #now: () => number;
  #state: BreakerState = 'trial';
  #trialSince: number | null = null;
  #failures = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #restsUntil = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** The breaker's state, for health reports; `restsForMs` is null unless it is open. */
  get health(): { state: BreakerState; failures: number; restsForMs: number | null } {
    const restsForMs = this.#state === 'open' ? Math.max(0, this.#restsUntil - this.#now()) : null;
    return { state: this.#state, failures: this.#failures, restsForMs };
  }

  /** How many of `size` connections may carry messages now; null if another provider must be used. */
  allowed(size: number): number | null {
    if (this.#state === 'closed') return size;
    if (this.#state === 'open') {
      if (this.#now() < this.#restsUntil) return null;
      this.#state = 'trial';
      this.#trialSince = null;
    }
    return this.#trialSince !== null && this.#now() - this.#trialSince > TRIAL_MS ? null : 1;
  }

  /** Call when a message is handed to the provider. */
  used(): void {
    this.#trialSince ??= this.#now();
  }

  /** Call when a message ended with no evidence about the provider's health. */
  unused(): void {
    this.#trialSince = null;
  }

  succeeded(): void {
    this.#state = 'closed';
    this.#failures = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  failed(silent = false): void {
    this.#failures += 1;
    // Failures of messages that were in flight when the breaker opened say nothing new.
    if (this.#state === 'open' || (this.#state === 'closed' && this.#failures < FAILURES && !silent)) return;
    this.#state = 'open';
    this.#restsUntil = this.#now() + (silent ? SILENT_PAUSE_MS : this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
