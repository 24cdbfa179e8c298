/** Limits how much is done at once, separately for each key, with a short line for each. */
export class Places {
  readonly #most: number;
  readonly #mostWaiting: number;
  readonly #waitMs: number;
  readonly #taken = new Map<string, number>();
  readonly #lines = new Map<string, ((isTaken: boolean) => void)[]>();

  /** Per key: at most `most` at once; at most `mostWaiting` wait, each for up to `waitMs`. */
  constructor({ most, mostWaiting, waitMs }: { most: number; mostWaiting: number; waitMs: number }) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
    this.#waitMs = waitMs;
  }

  /** Takes a place, in the order of the calls. False if none became free in time, or too many wait already. */
  async take(key: string, waitMs = this.#waitMs): Promise<boolean> {
    const taken = this.#taken.get(key) ?? 0;
    if (taken < this.#most) {
      this.#taken.set(key, taken + 1);
      return true;
    }
    const line = this.#lines.get(key) ?? [];
    if (line.length >= this.#mostWaiting) return false;
    this.#lines.set(key, line);
    return new Promise((resolve) => {
      const next = (isTaken: boolean): void => {
        clearTimeout(timer);
        resolve(isTaken);
      };
      const timer = setTimeout(() => {
        line.splice(line.indexOf(next), 1);
        next(false);
      }, waitMs);
      line.push(next);
    });
  }

  /** Does `work` in a place, and gives the place back. Throws the error of `refusal` if there was none. */
  async hold<T>(key: string, refusal: () => Error, work: () => Promise<T>, waitMs?: number): Promise<T> {
    if (!(await this.take(key, waitMs))) throw refusal();
    try {
      return await work();
    } finally {
      this.free(key);
    }
  }

  /** Gives a place back: to the first in the line, if there is one. */
  free(key: string): void {
    const next = this.#lines.get(key)?.shift();
    if (next) {
      next(true);
      return;
    }
    this.#lines.delete(key);
    const taken = this.#taken.get(key)! - 1;
    if (taken === 0) this.#taken.delete(key);
    else this.#taken.set(key, taken);
  }
}
