const FAILURES = 5;
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Whether a provider is worth trying. After five failures in a row it rests: a second, then twice as long each time, up
 * to a minute; then one message tries it. Until its first success only one message is on it, too, so that a provider
 * that is not there does not take a whole batch.
 */
export class Breaker {
  readonly #now: () => number;
  #failures = 0;
  #pauseMs = FIRST_PAUSE_MS;
  #restsUntil = 0;
  #state: 'untested' | 'closed' | 'open' = 'untested';

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** It has failed, and nothing has succeeded since. */
  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Messages that may be on it now; null when it rests and another provider is to be tried. */
  allowed(size: number): number | null {
    if (this.#state === 'closed') return size;
    if (this.#state === 'untested') return 1;
    return this.#now() >= this.#restsUntil ? 1 : null;
  }

  succeeded(): void {
    this.#state = 'closed';
    this.#failures = 0;
    this.#pauseMs = FIRST_PAUSE_MS;
  }

  failed(): void {
    this.#failures += 1;
    if (this.#state === 'closed' && this.#failures < FAILURES) return;
    // Failures of messages that were on it when it was opened say nothing new.
    if (this.#state === 'open' && this.#now() < this.#restsUntil) return;
    this.#state = 'open';
    this.#restsUntil = this.#now() + this.#pauseMs;
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }
}
