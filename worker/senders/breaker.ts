const FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const TRIAL_MS = 2_000;

/**
 * Whether a provider is worth trying. After five failures in a row it rests: a second, then twice as long each time, up
 * to a minute. After that, and at the beginning, one message tries it; while that takes long, others go elsewhere.
 */
export class Breaker {
  readonly #now: () => number;
  #state: 'trial' | 'closed' | 'resting' = 'trial';
  #trialSince: number | null = null;
  #failures = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #restsUntil = 0;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Messages that may be on it now, of `size`; null when another provider is to be used. */
  allowed(size: number): number | null {
    if (this.#state === 'closed') return size;
    if (this.#state === 'resting') {
      if (this.#now() < this.#restsUntil) return null;
      this.#state = 'trial';
      this.#trialSince = null;
    }
    return this.#trialSince !== null && this.#now() - this.#trialSince > TRIAL_MS ? null : 1;
  }

  /** A message is on its way to it. */
  used(): void {
    this.#trialSince ??= this.#now();
  }

  /** It came to nothing that says anything about the provider. */
  unused(): void {
    this.#trialSince = null;
  }

  succeeded(): void {
    this.#state = 'closed';
    this.#failures = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  failed(): void {
    this.#failures += 1;
    // Failures of messages that were on it when it went to rest say nothing new.
    if (this.#state === 'resting' || (this.#state === 'closed' && this.#failures < FAILURES)) return;
    this.#state = 'resting';
    this.#restsUntil = this.#now() + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
