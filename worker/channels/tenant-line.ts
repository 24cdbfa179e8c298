import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import type { LeasedSend } from '../../domain/channels/ledger/lease-sends.ts';
import type { Line, Trust } from '../turns/connections.ts';

/** Templates that take longer, on the average of the last ones, make their tenant slow. */
const SLOW_RENDER_MS = 30;

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
  /** The average of the last renders, the latest counting most. */
  #renderMs = 0;
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

  /** Notes how long a template took. A single long one changes little: the process may have stood still. */
  noteRender(ms: number): void {
    this.#renderMs += (ms - this.#renderMs) / 4;
  }

  /** Its templates take long. */
  get rendersSlowly(): boolean {
    return this.#renderMs > SLOW_RENDER_MS;
  }

  /** Takes the next one out: of the first lane that has one. */
  take(): Waiting | undefined {
    return [...this.#waiting.values()].find(({ length }) => length > 0)?.shift();
  }
}
