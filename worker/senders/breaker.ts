const FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const TRIAL_MS = 2_000;

/**
 * Whether a provider is worth trying. After five failures in a row it rests: a second, then twice as long each time, up
 * to a minute. Then a connection is opened to it, and if that succeeds one message tries it; so does every provider
 * begin, so that one that is not there takes no batch with it.
 */
export class Breaker {
  readonly #now: () => number;
  #state: 'resting' | 'probed' | 'untested' | 'closed' = 'resting';
  #isNew = true;
  #failures = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #restsUntil = -Infinity;
  #trialSince: number | null = null;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Nothing is known of it yet: what is for it waits for the first probe. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Messages that may be on it now; null when another provider is to be used. */
  allowed(size: number): number | null {
    if (this.#state === 'closed') return size;
    if (this.#state !== 'untested') return null;
    return this.#trialSince !== null && this.#now() - this.#trialSince > TRIAL_MS ? null : 1;
  }

  /** Whether it has rested enough; who is told so opens a connection and reports it, and nobody else is told. */
  takeProbe(): boolean {
    if (this.#state !== 'resting' || this.#now() < this.#restsUntil) return false;
    this.#state = 'probed';
    return true;
  }

  /** The probe's connection was opened. */
  opened(): void {
    this.#isNew = false;
    this.#trialSince = null;
    if (this.#state === 'probed') this.#state = 'untested';
  }

  /** Messages are on their way to it. */
  used(): void {
    if (this.#state === 'untested') this.#trialSince ??= this.#now();
  }

  succeeded(): void {
    this.#state = 'closed';
    this.#failures = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  failed(): void {
    this.#isNew = false;
    this.#failures += 1;
    // Failures of messages that were on it when it went to rest say nothing new.
    if (this.#state === 'resting' || (this.#state === 'closed' && this.#failures < FAILURES)) return;
    this.#state = 'resting';
    this.#restsUntil = this.#now() + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
