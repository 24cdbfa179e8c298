import type { Deps } from '../../runtime/deps.ts';
import { engineEm } from '../../db/orm.ts';
import { disableEndpoints } from '../../domain/webhooks/endpoints/disable-endpoints.ts';
import {
  settleDeliveries,
  type HealthNote,
  type Settlement,
} from '../../domain/webhooks/deliveries/settle-deliveries.ts';
import { OutcomeStore } from '../../runtime/outcome-store.ts';
import type { Lane } from './lane.ts';

/** How often the last success of an endpoint is stored, while it has no others than successes. */
const NOTE_EVERY_MS = 1_000;

/** What came of an attempt, and what it tells about the endpoint. */
export interface Outcome {
  lane: Lane;
  settlement: Settlement;
  isGone: boolean;
  /** Of the endpoint, as it was tried. */
  version: number;
  /** The seconds until it is tried again, once it is stored; null if it has ended. */
  againIn: number | null;
}

/** Settles attempts in Postgres, with the health of their endpoints, and disables those that are gone or keep failing. */
export class Settler {
  readonly #deps: Pick<Deps, 'orm' | 'log'>;
  readonly #store: OutcomeStore<Outcome>;

  constructor(deps: Pick<Deps, 'orm' | 'log'>) {
    this.#deps = deps;
    this.#store = new OutcomeStore({
      log: deps.log,
      gatherMs: 5,
      atOnce: 2,
      write: (outcomes) => this.#write(outcomes),
      onRefused: ({ settlement: { endpointId, sequence } }, error) => {
        deps.log.error({ err: error, endpointId, sequence }, 'the outcome of a delivery cannot be stored');
      },
    });
  }

  /** Resolves when the outcome is stored in Postgres, with the seconds until the delivery is tried again, if it is. */
  async settle(outcome: Omit<Outcome, 'againIn'>): Promise<number | null> {
    const stored: Outcome = { ...outcome, againIn: outcome.settlement.delaySeconds };
    await this.#store.store(stored);
    return stored.againIn;
  }

  /** How many outcomes are not stored in Postgres yet. */
  get waiting(): number {
    return this.#store.waiting;
  }

  async #write(outcomes: readonly Outcome[]): Promise<void> {
    const notes = [...Map.groupBy(outcomes, ({ lane }) => lane)].flatMap(([lane, its]) => {
      const found = noteOf(lane, its);
      // It ends with a success.
      if (!found) lane.unnoted = later(lane.unnoted, its.at(-1)!.settlement.attempt.at);
      return found ?? [];
    });
    const em = engineEm(this.#deps.orm);
    const { againIn, toDisable } = await settleDeliveries(
      em,
      outcomes.map(({ settlement }) => settlement),
      notes.map(({ note }) => note),
    );
    for (const [n, outcome] of outcomes.entries()) outcome.againIn = againIn[n]!;
    const at = performance.now();
    for (const { lane, note } of notes) {
      const { failures, slow } = note;
      if (lane.unnoted && note.successAt && lane.unnoted <= note.successAt) lane.unnoted = null;
      lane.noted = { at, failures: note.successAt === null ? lane.noted.failures + failures : failures, slow };
    }
    if (toDisable.length === 0) return;
    // What it does is done again after the next attempt, if this fails.
    await disableEndpoints(em, toDisable).catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, 'could not disable webhooks'),
    );
    for (const { tenantId, id, reason } of toDisable)
      this.#deps.log.warn({ tenantId, endpointId: id, reason }, 'a webhook is disabled');
  }
}

const later = (one: Date | null, other: Date): Date => (one && one > other ? one : other);

/** What attempts tell about their endpoint; null if it is known, but for the time of the last success. */
function noteOf(lane: Lane, outcomes: readonly Outcome[]): { lane: Lane; note: HealthNote } | null {
  const last = outcomes.findLastIndex(({ settlement }) => settlement.delaySeconds === null);
  const failures = outcomes.length - 1 - last;
  const slow = lane.trust === 'slow';
  const { noted } = lane;
  const gone = outcomes.findLast(({ isGone }) => isGone);
  const isKnown = !gone && failures === 0 && noted.failures === 0 && noted.slow === slow;
  if (isKnown && performance.now() - noted.at < NOTE_EVERY_MS) return null;
  const successAt = last < 0 ? lane.unnoted : later(lane.unnoted, outcomes[last]!.settlement.attempt.at);
  const { version } = gone ?? outcomes.at(-1)!;
  return { lane, note: { ...lane.key, successAt, failures, slow, isGone: gone !== undefined, version } };
}
