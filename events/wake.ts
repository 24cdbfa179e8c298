/** A loop's alarm: it sleeps until it is woken or `pollMs` have passed. A call while it is awake counts for the next time. */
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
