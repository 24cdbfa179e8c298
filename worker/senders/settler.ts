import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../../runtime/deps.ts';
import { pgError } from '../../db/errors.ts';
import { engineEm } from '../../db/orm.ts';
import { Batcher } from '../../domain/common/batcher.ts';
import { settleEmails, type Settlement } from '../../domain/emails/ledger/settle-emails.ts';

const BATCH = 500;
const LONGEST_PAUSE_MS = 5_000;
/** Attempts finish in bursts: those that finish within this time are settled in one transaction. */
const GATHER_MS = 5;
/** Two transactions may run at once: outcomes that arrive during one go into the next. */
const AT_ONCE = 2;

interface Waiting {
  settlement: Settlement;
  done: () => void;
}

/**
 * Writes the outcomes of attempts to Postgres in batches, and retries until they are stored. Outcomes that die with the
 * process (kill -9) cause no second send: the recovery makes those emails UNKNOWN.
 */
export class Settler {
  readonly #deps: Deps;
  readonly #batches = new Batcher<Waiting>({
    gather: () => delay(GATHER_MS),
    maxItems: BATCH,
    maxConcurrent: AT_ONCE,
    handle: (batch) => this.#settleBatch(batch),
  });
  #unsettled = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Resolves when the settlement is stored in Postgres. */
  settle(settlement: Settlement): Promise<void> {
    this.#unsettled += 1;
    return new Promise<void>((done) => this.#batches.add({ settlement, done }));
  }

  /** How many outcomes are not stored in Postgres yet. */
  get waiting(): number {
    return this.#unsettled;
  }

  async #settleBatch(batch: readonly Waiting[]): Promise<void> {
    for (let failures = 1; ; failures += 1) {
      try {
        await this.#write(batch.map(({ settlement }) => settlement));
        break;
      } catch (error) {
        this.#deps.log.warn({ err: error, waiting: this.waiting }, 'could not settle outcomes, will retry');
        await delay(Math.min(100 * 2 ** failures, LONGEST_PAUSE_MS));
      }
    }
    this.#unsettled -= batch.length;
    for (const { done } of batch) done();
  }

  async #write(batch: Settlement[]): Promise<void> {
    try {
      await settleEmails(engineEm(this.#deps.orm), batch);
    } catch (error) {
      if (!isDataError(error)) throw error;
      if (batch.length === 1) {
        this.#deps.log.error(
          { err: error, emailId: batch[0]!.id, attempt: batch[0]!.attempt, result: batch[0]!.result },
          'an outcome cannot be settled; the email will be UNKNOWN',
        );
        return;
      }
      // One that Postgres refuses must not hold back the others.
      for (const settlement of batch) await this.#write([settlement]);
    }
  }
}

/** Whether Postgres refused what was written (class 22 data, 23 integrity), so that trying again is pointless. */
function isDataError(error: unknown): boolean {
  return /^2[23]/.test(pgError(error)?.code ?? '');
}
