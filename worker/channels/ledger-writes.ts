import { isDataError, isRetryable } from '../../db/errors.ts';
import { engineEm } from '../../db/orm.ts';
import { changesContacts, settleSends, type SendSettlement } from '../../domain/channels/ledger/settle-sends.ts';
import { startSends, type PreparedSend, type StartedSend } from '../../domain/channels/ledger/start-sends.ts';
import type { Deps } from '../../runtime/deps.ts';
import { OutcomeStore } from '../../runtime/outcome-store.ts';

/** The transaction failed, so whether the send is SENDING is unknown; `call` is its name. */
interface UncertainStart {
  status: 'UNCERTAIN';
  call: string;
}

/** Postgres cannot store the start. */
interface RefusedStart {
  status: 'REFUSED';
}

/** Null: the lease is gone, or the send was locked for a moment. */
export type Start = StartedSend | UncertainStart | RefusedStart | null;

interface Asked {
  row: PreparedSend;
  answer: (start: Start) => void;
  isAnswered: boolean;
}

/**
 * Writes the settlements and starts of a holder to the ledger: one transaction after the other, each with all that has
 * come meanwhile, in the order in which it came. So a start is never stored before a settlement that came before it.
 */
export class LedgerWrites {
  readonly #deps: Pick<Deps, 'orm' | 'pipelined' | 'pingOutbox' | 'log' | 'generation'>;
  readonly #holder: string;
  readonly #leaseSeconds: number;
  readonly #store: OutcomeStore<SendSettlement | Asked>;
  #calls = 0;

  constructor(
    deps: Pick<Deps, 'orm' | 'pipelined' | 'pingOutbox' | 'log' | 'generation'>,
    holder: string,
    leaseSeconds: number,
  ) {
    this.#deps = deps;
    this.#holder = holder;
    this.#leaseSeconds = leaseSeconds;
    this.#store = new OutcomeStore({
      log: deps.log,
      atOnce: 1,
      gatherMs: 0,
      write: (items) => this.#write(items),
      onRefused: (item, error) => {
        if ('row' in item) {
          item.answer({ status: 'REFUSED' });
          deps.log.error({ err: error, sendId: item.row.id }, 'the start of a send cannot be stored');
        } else deps.log.error({ err: error, sendId: item.id }, 'the outcome of a send cannot be stored');
      },
    });
  }

  /** Starts a send, or ends it as its row says. */
  start(row: PreparedSend): Promise<Start> {
    return new Promise((resolve) => {
      const asked: Asked = {
        row,
        isAnswered: false,
        answer: (start) => {
          asked.isAnswered = true;
          resolve(start);
        },
      };
      void this.#store.store(asked);
    });
  }

  /** Resolves when the settlement is stored. */
  settle(settlement: SendSettlement): Promise<void> {
    return this.#store.store(settlement);
  }

  /** Called again after a failure. */
  async #write(items: (SendSettlement | Asked)[]): Promise<void> {
    const asked = items.filter((item) => 'row' in item).filter(({ isAnswered }) => !isAnswered);
    const settlements = items.filter((item): item is SendSettlement => !('row' in item));
    const ofContacts = settlements.filter(changesContacts);
    const others = settlements.filter((one) => !changesContacts(one));
    const call = `${this.#holder}/${(this.#calls += 1)}`;
    try {
      if (ofContacts.length > 0) await settleSends(engineEm(this.#deps.orm), ofContacts);
      if (asked.length + others.length === 0) return;
      const started = await startSends((statements) => this.#deps.pipelined.once('engine', statements), {
        ...{ holder: this.#holder, name: call, leaseSeconds: this.#leaseSeconds },
        sends: asked.map(({ row }) => row),
        settlements: others,
      });
      this.#deps.pingOutbox('outbox_events');
      this.#deps.generation.sending(started.length);
      const byId = new Map(started.map((one) => [one.id, one]));
      for (const { row, answer } of asked) {
        answer(byId.get(row.id) ?? null);
        // One start allows one request.
        byId.delete(row.id);
      }
    } catch (error) {
      // These errors say that it was rolled back: it is repeated with all its starts, or each of them alone.
      if (!isDataError(error) && !isRetryable(error))
        for (const { answer } of asked) answer({ status: 'UNCERTAIN', call });
      throw error;
    }
  }
}
