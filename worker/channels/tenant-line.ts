import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import type { LeasedSend } from '../../domain/channels/ledger/lease-sends.ts';
import type { Line, Trust } from '../turns/connections.ts';

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

  add(waiting: Waiting): void {
    this.#waiting.get(waiting.leased.lane)!.push(waiting);
    this.inHand += 1;
  }

  /** Takes the next one out: of the first lane that has one. */
  take(): Waiting | undefined {
    return [...this.#waiting.values()].find(({ length }) => length > 0)?.shift();
  }
}
