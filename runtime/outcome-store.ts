import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../config/logger.ts';
import { pgError } from '../db/errors.ts';
import { Batcher } from '../domain/common/batcher.ts';

const BATCH = 500;
const LONGEST_PAUSE_MS = 5_000;
/** Attempts finish in bursts: those that finish within this time are stored in one transaction. */
const GATHER_MS = 5;
/** Two transactions may run at once: outcomes that arrive during one go into the next. */
const AT_ONCE = 2;

interface Options<Outcome> {
  log: Logger;
  /** Stores outcomes in one transaction; repeated, it must change nothing. */
  write: (outcomes: Outcome[]) => Promise<void>;
  /** Called for an outcome that Postgres refuses. */
  onRefused: (outcome: Outcome, error: unknown) => void;
}

/** Writes the outcomes of attempts to Postgres in batches, and retries until they are stored. */
export class OutcomeStore<Outcome> {
  readonly #options: Options<Outcome>;
  readonly #batches = new Batcher<{ outcome: Outcome; done: () => void }>({
    gather: () => delay(GATHER_MS),
    maxItems: BATCH,
    maxConcurrent: AT_ONCE,
    handle: async (batch) => {
      await this.#store(batch.map(({ outcome }) => outcome));
      for (const { done } of batch) done();
    },
  });
  #unstored = 0;

  constructor(options: Options<Outcome>) {
    this.#options = options;
  }

  /** Resolves when the outcome is stored in Postgres. */
  store(outcome: Outcome): Promise<void> {
    this.#unstored += 1;
    return new Promise<void>((done) => this.#batches.add({ outcome, done }));
  }

  /** How many outcomes are not stored in Postgres yet. */
  get waiting(): number {
    return this.#unstored;
  }

  async #store(outcomes: Outcome[]): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await this.#write(outcomes);
        break;
      } catch (error) {
        this.#options.log.warn({ err: error, waiting: this.waiting }, 'could not store outcomes, will retry');
        await delay(Math.min(100 * 2 ** failures, LONGEST_PAUSE_MS));
      }
    }
    this.#unstored -= outcomes.length;
  }

  async #write(outcomes: Outcome[]): Promise<void> {
    try {
      await this.#options.write(outcomes);
    } catch (error) {
      if (!isDataError(error)) throw error;
      if (outcomes.length === 1) return this.#options.onRefused(outcomes[0]!, error);
      // One that Postgres refuses must not hold back the others.
      for (const outcome of outcomes) await this.#write([outcome]);
    }
  }
}

/** Whether Postgres refused what was written (class 22 data, 23 integrity), so that trying again is pointless. */
function isDataError(error: unknown): boolean {
  return /^2[23]/.test(pgError(error)?.code ?? '');
}
