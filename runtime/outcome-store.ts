import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../config/logger.ts';
import { isDataError } from '../db/errors.ts';
import { Batcher } from '../lib/async/batcher.ts';
import { backoff } from '../lib/time/backoff.ts';

const BATCH = 500;
const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;

interface Options<Outcome> {
  log: Logger;
  /** Attempts finish in bursts: those that finish within this time are stored in one transaction. */
  gatherMs: number;
  /** How many transactions may run at once: outcomes that arrive meanwhile go into the next. */
  atOnce: number;
  /** Stores outcomes in one transaction; repeated, it must change nothing. */
  write: (outcomes: Outcome[]) => Promise<void>;
  /** Called for an outcome that Postgres refuses. */
  onRefused: (outcome: Outcome, error: unknown) => void;
}

/** Writes the outcomes of attempts to Postgres in batches, and retries until they are stored. */
export class OutcomeStore<Outcome> {
  readonly #options: Options<Outcome>;
  readonly #batches: Batcher<{ outcome: Outcome; done: () => void }>;
  #unstored = 0;

  constructor(options: Options<Outcome>) {
    this.#options = options;
    this.#batches = new Batcher({
      gather: () => (options.gatherMs > 0 ? delay(options.gatherMs) : nextTurn()),
      maxItems: BATCH,
      maxConcurrent: options.atOnce,
      handle: async (batch) => {
        await this.#store(batch.map(({ outcome }) => outcome));
        for (const { done } of batch) done();
      },
    });
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
        await delay(backoff(failures, FIRST_PAUSE_MS, LONGEST_PAUSE_MS));
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
