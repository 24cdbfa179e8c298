import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import type { LeasedSend } from '../../domain/channels/ledger/lease-sends.ts';
import { accounts } from '../../domain/threads/in-thread.ts';
import type { Line, Trust } from '../turns/connections.ts';

/** What a tenant has in hand takes no longer to render than this. */
const IN_HAND_MS = 5_000;

/** A leased send. */
export interface Waiting {
  leased: LeasedSend;
  /** Its lease holds until then, by performance.now(). */
  until: number;
}

/** The leased sends of a tenant that wait for a connection. */
export class TenantLine implements Line {
  readonly key: { tenantId: string };
  trust: Trust = 'new';
  inFlight = 0;
  isQueued = false;
  /** Those that wait, and those that are not stored yet. */
  inHand = 0;
  /** The last lease left the tenant out, because it had enough in hand. */
  isLeftOut = false;
  readonly #most: number;
  readonly #waiting = new Map<EmailLane, Waiting[]>(EMAIL_LANES.map((lane) => [lane, []]));

  /** At most `most` are on their way at once. */
  constructor(tenantId: string, most: number) {
    this.key = { tenantId };
    this.#most = most;
  }

  get canSend(): boolean {
    return this.inFlight < this.#most && [...this.#waiting.values()].some(({ length }) => length > 0);
  }

  waitsIn(lane: EmailLane): boolean {
    return this.#waiting.get(lane)!.length > 0;
  }

  add(waiting: Waiting): void {
    this.#waiting.get(waiting.leased.lane)!.push(waiting);
    this.inHand += 1;
  }

  /** Its templates take long. */
  get rendersSlowly(): boolean {
    return accounts.isSlow(this.key.tenantId);
  }

  /** How many of it may be in hand at once, so that all can be rendered before their leases end. */
  mostInHand(most: number): number {
    return accounts.jobsIn(this.key.tenantId, IN_HAND_MS, most);
  }

  /** How many wait for a connection. */
  get waiting(): number {
    return [...this.#waiting.values()].reduce((sum, { length }) => sum + length, 0);
  }

  /** Takes the next one out: of the first lane that has one. */
  take(): Waiting | undefined {
    return [...this.#waiting.values()].find(({ length }) => length > 0)?.shift();
  }

  /** Takes the last one out that waits. */
  takeLast(): Waiting | undefined {
    return [...this.#waiting.values()]
      .reverse()
      .find(({ length }) => length > 0)
      ?.pop();
  }
}
