import { engineEm, rows, sql, type EntityManager, type Orm, type RawBuilder } from '../../../db/orm.ts';
import type { Resolution } from '../../../domain/emails/ledger/resolve-email.ts';
import { AppError } from '../../../lib/checks/errors.ts';
import type { Attempted, Copy, Evidence, Kind, Ledger, LedgerSend, Started } from './ledger.ts';
import { SpecLedger } from './spec.ts';

export const TENANT = 'ledger';

export const byId = (a: { id: number }, b: { id: number }): number => a.id - b.id;

/** Whether a command succeeded; false if it was a conflict. */
export const unlessConflict = (command: Promise<unknown>): Promise<boolean> =>
  command.then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'conflict') return false;
      throw error;
    },
  );

/**
 * The real commands on a real database, each compared to the rules: after any schedule, both must return the same
 * results and have the same rows. Time passes by moving all times of the rows back.
 */
export abstract class SqlLedger implements Ledger {
  readonly kind: Kind;
  protected readonly orm: Orm;
  protected readonly ids: readonly number[];
  protected readonly spec: SpecLedger;
  /** The transaction that will be rolled back. */
  #tx: EntityManager | null = null;

  constructor(orm: Orm, ids: readonly number[], kind: Kind) {
    this.orm = orm;
    this.ids = ids;
    this.kind = kind;
    this.spec = new SpecLedger(ids, kind);
  }

  abstract accept(ids: readonly number[]): Promise<void>;
  abstract requestAgain(): Promise<number[]>;
  abstract lease(holder: string, limit: number): Promise<Copy[]>;
  abstract release(holder: string, ids: readonly number[]): Promise<void>;
  /** Starts copies; `ended` are attempts that are settled before in the same transaction. */
  abstract start(
    holder: string,
    start: string,
    copies: readonly Copy[],
    ended?: readonly Attempted[],
  ): Promise<Started[]>;
  abstract renew(holder: string, ids: readonly number[]): Promise<number[]>;
  abstract settle(attempts: readonly Attempted[]): Promise<void>;
  abstract sweep(): Promise<void>;
  abstract resolve(id: number, outcome: Resolution): Promise<number[]>;
  abstract unsubscribe(id: number, atOnce: boolean): Promise<void>;
  abstract changeContact(id: number): Promise<void>;
  abstract pass(ticks: number): Promise<void>;
  abstract sends(): Promise<LedgerSend[]>;

  /** Nothing is told about emails here. */
  async report(_id: number, _evidence: Evidence, _provider: number): Promise<boolean> {
    return false;
  }

  async undone(work: () => Promise<unknown>): Promise<void> {
    const lost = new Error('lost');
    await this.spec.undone(() =>
      engineEm(this.orm)
        .transactional(async (tx) => {
          this.#tx = tx;
          await work();
          throw lost;
        })
        .catch((error: unknown) => {
          if (error !== lost) throw error;
        })
        .finally(() => {
          this.#tx = null;
        }),
    );
  }

  /** All that is due is due since the same moment, so that it is leased in the order of the rules: by ids. */
  protected async sortDue(table: RawBuilder<unknown>, which: RawBuilder<unknown>): Promise<void> {
    await this.em().transactional((tx) =>
      rows(
        tx,
        sql`
        update ${table} set next_attempt_at = now() - interval '1 s'
        where id = any(${this.ids}::bigint[]) and status = 'QUEUED' and ${which} and next_attempt_at <= now()`,
      ),
    );
  }

  protected em(): EntityManager {
    return this.#tx ?? engineEm(this.orm);
  }

  protected readonly transact = (statements: readonly RawBuilder<unknown>[]): Promise<unknown[][]> =>
    this.em().transactional(async (tx) => {
      const answers: unknown[][] = [];
      for (const statement of statements) answers.push(await rows(tx, statement));
      return answers;
    });
}
