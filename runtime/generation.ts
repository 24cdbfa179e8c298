import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../config/logger.ts';
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
import type { Witness } from './generation-witnesses.ts';

const TICK_MS = 1_000;
const MINUTE_MS = 60_000;
/** While something is sent, the counter moves so often. */
const SENDING_MS = 5_000;
/** The counter moves, at the latest, when a process has started so many sends since it last moved it. */
const SENDS = 1_000;
const ADVICE = 'nothing leaves until `npm run restored` has been run with --apply';

/**
 * Keeps the generation, and holds this process while Postgres is behind what JetStream or Temporal know: then nothing
 * leaves it. Postgres moves first and the others follow, so that in normal running, and after a kill at any moment,
 * Postgres is never behind.
 */
export class GenerationKeeper {
  /** Why nothing may leave; null if all is well. */
  held: string | null = null;
  /** Called when a process that worked finds that its Postgres was put back: what it remembers is not true any more. */
  onLost: (reason: string) => void = () => {};
  readonly #orm: Orm;
  readonly #witnesses: readonly Witness[];
  readonly #log: Logger;
  /** The latest generation that this process has seen in Postgres; null before `begin`. */
  #seen: Generation | null = null;
  #sends = 0;
  #movedAt = -Infinity;
  #loop: { stop: () => Promise<void> } | null = null;

  constructor(orm: Orm, witnesses: readonly Witness[], log: Logger) {
    this.#orm = orm;
    this.#witnesses = witnesses;
    this.#log = log;
  }

  /**
   * Compares, and from now on keeps the generation. Parts that do not answer are compared when they do. With `isSure`,
   * resolves only when one of them has answered and nothing is held.
   */
  async begin({ isSure }: { isSure: boolean }): Promise<void> {
    for (;;) {
      const unanswered = await this.#compare();
      if (!isSure || (!this.held && unanswered.length < this.#witnesses.length)) break;
      if (unanswered.length > 0) this.#log.warn({ unanswered }, 'cannot compare the generation yet');
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
    this.#lose(reason);
    throw new Error(reason);
  }

  /** Moves the counter once more, so that whatever was done until now is known to the others. */
  async stop(): Promise<void> {
    await this.#loop?.stop();
    if (this.#loop && !this.held) await this.#move();
  }

  /** Compares Postgres with the others, and holds or releases. Returns the names of those that did not answer. */
  async #compare(): Promise<string[]> {
    const unanswered: string[] = [];
    // Before Postgres: what they know was there by then.
    const known = await Promise.all(
      this.#witnesses.map(async ({ name, read }) => {
        const generation = await read().catch((error: unknown) => {
          this.#log.debug({ err: error, part: name }, 'could not read the generation');
          unanswered.push(name);
          return null;
        });
        return generation && { name, generation };
      }),
    );
    const own = await readGeneration(engineEm(this.#orm));
    const others = known.filter((one) => one !== null);
    if (this.#seen && !this.held) others.push({ name: 'this process', generation: this.#seen });
    const reason = others.map(({ name, generation }) => reasonToHold(own, generation, name)).find(Boolean) ?? null;
    if (reason && this.#loop && !this.held) this.#lose(reason);
    if (reason && reason !== this.held) this.#log.error({ reason }, `held: ${reason}; ${ADVICE}`);
    if (!reason && this.held) this.#log.info('released: the generation of Postgres is the latest again');
    this.held = reason;
    if (!reason) this.#seen = own;
    return unanswered;
  }

  async #tick(): Promise<void> {
    const since = performance.now() - this.#movedAt;
    const isDue = this.#sends >= SENDS || since >= (this.#sends > 0 ? SENDING_MS : MINUTE_MS);
    if (!this.held && !isDue) return;
    await this.#compare();
    if (!this.held) await this.#move();
  }

  async #move(): Promise<void> {
    this.#sends = 0;
    this.#movedAt = performance.now();
    const moved = await moveGeneration(engineEm(this.#orm));
    this.#seen = moved;
    await Promise.all(
      this.#witnesses.map(({ name, write }) =>
        write(moved).catch((error: unknown) =>
          this.#log.warn({ err: error, part: name }, 'could not store the generation, will try again'),
        ),
      ),
    );
  }

  #lose(reason: string): void {
    this.#log.fatal({ reason }, `held: ${reason}; ${ADVICE}`);
    this.held = reason;
    this.onLost(reason);
  }
}
