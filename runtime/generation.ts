import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../config/logger.ts';
import { sayOnce, type SayOnce } from '../config/say-once.ts';
import { ENGINE_ROLE } from '../db/entities/base.ts';
import { engineEm, type Orm } from '../db/orm.ts';
import {
  moveGeneration,
  READ_GENERATION,
  readGeneration,
  reasonToHold,
  type Generation,
} from '../domain/installation/generation.ts';
import { every } from './every.ts';
import { isPermissionDenied, type Witness } from './generation-witnesses.ts';

const TICK_MS = 1_000;
const MINUTE_MS = 60_000;
/** While something is sent, the counter moves so often. */
const SENDING_MS = 5_000;
/** The counter moves, at the latest, when a process has started so many sends since it last moved it. */
const SENDS = 1_000;
const NOT_ALLOWED =
  'this part does not let our login store the generation, so only the other part can tell that Postgres was put back';
const ADVICE = 'nothing leaves until `npm run restored` has been run with --apply';

/**
 * Keeps the generation, and holds this process while Postgres is behind what JetStream or Temporal know: then nothing
 * leaves it. Postgres moves first and the others follow, so that in normal running, and after a kill at any moment,
 * Postgres is never behind. Until there was something to compare with, nothing moves.
 */
export class GenerationKeeper {
  /** Why nothing may leave; null if all is well. */
  held: string | null = null;
  /** Called when a process that worked finds that its Postgres was put back: what it remembers is not true any more. */
  onPutBack: (reason: string) => void = () => {};
  readonly #orm: Orm;
  readonly #witnesses: readonly Witness[];
  readonly #log: Logger;
  /** The latest generation that this process has seen in Postgres; null before `begin`. */
  #seen: Generation | null = null;
  /** What each witness last told; one that has not answered yet is missing. One that is away does not release. */
  readonly #told = new Map<string, Generation | null>();
  /** The witnesses that let this login store something, each with the log of how that goes. */
  readonly #stores: Map<Witness, SayOnce>;
  #sends = 0;
  #movedAt = -Infinity;
  #loop: { stop: () => Promise<void> } | null = null;

  constructor(orm: Orm, witnesses: readonly Witness[], log: Logger) {
    this.#orm = orm;
    this.#witnesses = witnesses;
    this.#log = log;
    this.#stores = new Map(
      witnesses.map((one) => [
        one,
        sayOnce(log, { part: one.name }, 'cannot store the generation', 'the generation is stored again'),
      ]),
    );
  }

  /**
   * Compares, and from now on keeps the generation. Parts that do not answer are compared when they do. With `isSure`,
   * resolves only when the comparison says something and nothing is held.
   */
  async begin({ isSure }: { isSure: boolean }): Promise<void> {
    for (let waits = false; ; waits = true) {
      const answered = await this.#compare();
      if (!isSure || (!this.held && this.#isSure)) break;
      const unanswered = this.#witnesses.filter((one) => !answered.has(one)).map(({ name }) => name);
      if (!waits && !this.held) this.#log.warn({ unanswered }, 'waiting: cannot compare the generation yet');
      await delay(TICK_MS);
    }
    this.#loop = every(TICK_MS, this.#log, 'could not keep the generation', () => this.#tick());
  }

  /** Call with how many sends this process has just started. */
  sending(count: number): void {
    this.#sends += count;
  }

  /** Rejects if a new connection leads to a Postgres that is older than what this process has seen. */
  async checkConnection(client: Pick<pg.ClientBase, 'query'>): Promise<void> {
    // Not the latest by the time of the answer: the counter may move meanwhile.
    const seen = this.#seen;
    if (!seen || this.held) return;
    await client.query('begin');
    await client.query(`set local role ${ENGINE_ROLE}`);
    const found = await client.query<{ id: string; counter: string | number }>(READ_GENERATION);
    await client.query('commit');
    const { id = '', counter = 0 } = found.rows[0] ?? {};
    const reason = reasonToHold({ ...seen, id, counter: Number(counter) }, seen, 'this process');
    if (!reason) return;
    this.#putBack(reason);
    throw new Error(reason);
  }

  /** Moves the counter once more, so that whatever was done until now is known to the others. */
  async stop(): Promise<void> {
    await this.#loop?.stop();
    if (this.#loop) await this.#move(await this.#compare());
  }

  /**
   * Whether the comparison says something: a witness had a copy, or all have answered that they have none. That one is
   * empty, while another is away, says nothing about a Postgres that was put back.
   */
  get #isSure(): boolean {
    return this.#allCompared || [...this.#told.values()].some((one) => one !== null);
  }

  /** Compares Postgres with the others, and holds or releases. Returns those that answered. */
  async #compare(): Promise<Set<Witness>> {
    const answered = new Set<Witness>();
    const wasSure = this.#isSure;
    // Before Postgres: what they know was there by then.
    await Promise.all(
      this.#witnesses.map(async (witness) => {
        try {
          this.#told.set(witness.name, await witness.read());
          answered.add(witness);
        } catch (error) {
          this.#log.debug({ err: error, part: witness.name }, 'could not read the generation');
        }
      }),
    );
    const own = await readGeneration(engineEm(this.#orm));
    const others = new Map(this.#told).set('this process', this.#seen);
    const reason =
      [...others].map(([name, other]) => other && reasonToHold(own, other, name)).find((found) => found) ?? null;
    // It worked on what was put back since. One that had nothing to compare with remembers nothing else.
    if (reason && this.#loop && wasSure && !this.held) this.#putBack(reason);
    if (reason && reason !== this.held) this.#log.error({ reason }, `held: ${reason}; ${ADVICE}`);
    if (!reason && this.held) this.#log.info('released: the generation of Postgres is the latest again');
    this.held = reason;
    if (!reason) this.#seen = own;
    return answered;
  }

  get #allCompared(): boolean {
    return this.#told.size === this.#witnesses.length;
  }

  async #tick(): Promise<void> {
    const since = performance.now() - this.#movedAt;
    const isDue = this.#sends >= SENDS || since >= (this.#sends > 0 ? SENDING_MS : MINUTE_MS);
    if (!this.held && !isDue && this.#allCompared) return;
    const answered = await this.#compare();
    if (isDue) await this.#move(answered);
  }

  /** If the comparison was well, moves the counter, and tells those that were just compared. */
  async #move(answered: ReadonlySet<Witness>): Promise<void> {
    if (this.held || !this.#isSure) return;
    this.#sends = 0;
    this.#movedAt = performance.now();
    const moved = await moveGeneration(engineEm(this.#orm), { allCompared: this.#allCompared });
    this.#seen = moved;
    await Promise.all(
      [...this.#stores].map(async ([witness, told]) => {
        if (!answered.has(witness)) return;
        await witness.write(moved).then(told.succeeded, (error: unknown) => {
          if (!isPermissionDenied(error)) return told.failed(error);
          this.#stores.delete(witness);
          this.#log.warn({ err: error, part: witness.name }, NOT_ALLOWED);
        });
      }),
    );
  }

  #putBack(reason: string): void {
    this.#log.fatal({ reason }, `held: ${reason}; ${ADVICE}`);
    this.held = reason;
    this.onPutBack(reason);
  }
}
