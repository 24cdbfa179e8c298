import type { Deps } from '../../runtime/deps.ts';
import { engineEm } from '../../db/orm.ts';
import { settleAttempts, type SettledAttempt } from '../../domain/emails/bounces/settle-attempts.ts';
import { OutcomeStore } from '../../runtime/outcome-store.ts';

/**
 * Settles attempts in Postgres. Outcomes that die with the process (kill -9) cause no second send: the recovery makes
 * those emails UNKNOWN.
 */
export class Settler {
  readonly #store: OutcomeStore<SettledAttempt>;

  constructor({ orm, log }: Deps) {
    this.#store = new OutcomeStore({
      log,
      gatherMs: 5,
      atOnce: 2,
      write: async (settlements) => {
        await settleAttempts(engineEm(orm), settlements);
      },
      onRefused: ({ id, attempt, result }, error) => {
        log.error(
          { err: error, emailId: id, attempt, result },
          'an outcome cannot be settled; the email will be UNKNOWN',
        );
      },
    });
  }

  /** Resolves when the settlement is stored in Postgres. */
  settle(settlement: SettledAttempt): Promise<void> {
    return this.#store.store(settlement);
  }

  /** How many outcomes are not stored in Postgres yet. */
  get waiting(): number {
    return this.#store.waiting;
  }
}
