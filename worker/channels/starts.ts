import { setTimeout as delay } from 'node:timers/promises';
import { startSends, type PreparedSend, type StartedSend } from '../../domain/channels/ledger/start-sends.ts';
import { Batcher } from '../../domain/common/batcher.ts';
import type { Deps } from '../../runtime/deps.ts';

/** The transaction failed, so whether the send is SENDING is unknown; `call` is its name. */
interface UncertainStart {
  status: 'UNCERTAIN';
  call: string;
}

/** Null: the lease is gone. */
export type Start = StartedSend | UncertainStart | null;

interface Asked {
  row: PreparedSend;
  resolve: (start: Start) => void;
}

const GATHER_MS = 1;

/** Starts the sends of a holder, as many as ask at about the same time in one transaction. */
export class Starts {
  readonly #deps: Pick<Deps, 'pipelined' | 'pingOutbox' | 'log'>;
  readonly #holder: string;
  readonly #leaseSeconds: number;
  readonly #batcher: Batcher<Asked>;
  #calls = 0;

  constructor(deps: Pick<Deps, 'pipelined' | 'pingOutbox' | 'log'>, holder: string, leaseSeconds: number) {
    this.#deps = deps;
    this.#holder = holder;
    this.#leaseSeconds = leaseSeconds;
    this.#batcher = new Batcher({
      gather: () => delay(GATHER_MS),
      maxItems: 200,
      maxConcurrent: 2,
      handle: (asked) => this.#start(asked),
    });
  }

  /** Starts a send, or ends it as its row says. */
  ask(row: PreparedSend): Promise<Start> {
    return new Promise((resolve) => this.#batcher.add({ row, resolve }));
  }

  async #start(asked: Asked[]): Promise<void> {
    const call = `${this.#holder}/${(this.#calls += 1)}`;
    try {
      const started = await startSends((statements) => this.#deps.pipelined.once('engine', statements), {
        ...{ holder: this.#holder, name: call, leaseSeconds: this.#leaseSeconds },
        sends: asked.map(({ row }) => row),
      });
      this.#deps.pingOutbox('outbox_events');
      const byId = new Map(started.map((one) => [one.id, one]));
      for (const { row, resolve } of asked) {
        resolve(byId.get(row.id) ?? null);
        // One start allows one request.
        byId.delete(row.id);
      }
    } catch (error) {
      this.#deps.log.warn({ err: error, messages: asked.length }, 'could not start messages');
      for (const { resolve } of asked) resolve({ status: 'UNCERTAIN', call });
    }
  }
}
