/**
 * Lets a loop sleep until it is woken or `pollMs` have passed. A wake-up while it is awake ends its next sleep at once.
 */
export class Wake {
  readonly #pollMs: number;
  #pending = false;
  #wakeUp: (() => void) | null = null;

  constructor(pollMs: number) {
    this.#pollMs = pollMs;
  }

  now(): void {
    this.#pending = true;
    this.#wakeUp?.();
  }

  async wait(): Promise<void> {
    if (!this.#pending) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, this.#pollMs);
        this.#wakeUp = () => {
          clearTimeout(timer);
          resolve();
        };
      });
      this.#wakeUp = null;
    }
    this.#pending = false;
  }
}
