import type { LaneNews, LeasedLane } from '../../domain/webhooks/deliveries/lanes.ts';
import type { DueDelivery, LaneRead } from '../../domain/webhooks/deliveries/read-deliveries.ts';
import type { OpenSecrets } from '../../domain/webhooks/endpoints/keys.ts';
import type { Line, Trust } from '../turns/connections.ts';

/** How many deliveries are read ahead, for each that may be on its way. */
const AHEAD = 20;
const MOST_AHEAD = 200;
/** The same for an endpoint that is not trusted: what waits here for long may have changed. */
const AHEAD_UNTRUSTED = 2;
/** How many deliveries about one subject wait here; more wait in Postgres, to make room for others. */
const MOST_WAITING = 20;
/** How often a lane that is always busy looks for deliveries that are to be tried again. */
const LOOK_AGAIN_MS = 5_000;

/**
 * The deliveries of one endpoint that this process has in hand, which alone delivers to it. Those that are read and not
 * settled are `open`; those of them that can be sent are ready. With `ordering: contact`, only the first one of each
 * subject is ready, and others wait: here, or in Postgres until the first one is to be tried again (they are deferred).
 * What waits here is always what follows the first one without a gap.
 */
export class Lane implements Line {
  endpoint: LeasedLane['endpoint'];
  secrets: OpenSecrets | null = null;
  trust: Trust;
  /** What was last stored of its health, at a time of performance.now(). */
  noted: { at: number; failures: number; slow: boolean };
  /** A success after that, which is not stored. */
  unnoted: Date | null = null;
  /** The lease holds until then, by performance.now(). */
  until: number;
  /** Failures since the last success. */
  failures: number;
  /** Nothing is sent before, by performance.now(). */
  pausedUntil = 0;
  inFlight = 0;
  unsettled = 0;
  /** It is in a queue of those that can send. */
  isQueued = false;
  isReading = false;
  /** The lease is over, or the endpoint is not active any more. */
  isLost = false;
  /** It is being given back, or was: once, as it may be leased again then. */
  isGivenBack = false;
  /** Something that was erased is on its way. */
  mustForget = false;
  idleSince: number | null = null;
  /** The `cursor` of its progress that was last stored. */
  savedCursor: number;
  /** What was not tried since then has to be made due. */
  hurriedAt: Date | null;

  /** The next number to read, the last one that there is, and the day of the last one that was read. */
  #next: number;
  #last: number;
  #lastDay: string | null;
  #nudges: number;
  /** When to look for deliveries that are to be tried again, by performance.now(). */
  #retryAt = 0;
  readonly #open = new Map<number, DueDelivery>();
  readonly #ready: DueDelivery[] = [];
  /** By subject: what waits for an open delivery. */
  readonly #waiting = new Map<string, DueDelivery[]>();
  /**
   * Subjects of which a delivery will be tried again later, and how many that follow it are not deferred in Postgres
   * yet. When all are, a read that begins then sees there that they have to wait.
   */
  readonly #blocked = new Map<string, number>();

  constructor(leased: LeasedLane, until: number) {
    this.endpoint = leased.endpoint;
    this.trust = leased.slow || leased.failures > 0 ? 'slow' : leased.hasSucceeded ? 'trusted' : 'new';
    this.failures = leased.failures;
    this.noted = { at: -Infinity, failures: leased.failures, slow: leased.slow };
    this.until = until;
    this.hurriedAt = leased.hurriedAt;
    this.savedCursor = leased.cursor;
    this.#next = leased.cursor + 1;
    this.#last = leased.lastSequence;
    this.#lastDay = leased.cursorDay;
    this.#nudges = leased.nudges;
  }

  get id(): number {
    return this.endpoint.id;
  }

  get key(): { tenantId: string; endpointId: number } {
    return { tenantId: this.endpoint.tenantId, endpointId: this.endpoint.id };
  }

  get #isOrdered(): boolean {
    return this.endpoint.ordering === 'contact';
  }

  /** All that was read and is not settled. */
  get inHand(): DueDelivery[] {
    return [...this.#open.values()];
  }

  /** How many may be on their way at once. */
  get limit(): number {
    return this.trust === 'trusted' ? (this.endpoint.maxInFlight ?? 1) : 1;
  }

  /** What a kill now would repeat is at most twice what may be on its way. */
  get canSend(): boolean {
    return (
      !this.isLost &&
      performance.now() < this.until &&
      performance.now() >= this.pausedUntil &&
      this.#ready.length > 0 &&
      this.inFlight < this.limit &&
      this.inFlight + this.unsettled < 2 * this.limit
    );
  }

  /** Nothing is in hand, and nothing is there to be read. */
  get isIdle(): boolean {
    return (
      this.#open.size === 0 && !this.isReading && !this.wantsFresh && !this.wantsRetries && this.hurriedAt === null
    );
  }

  /** It is slow, and waits for its turn with nothing on its way: it can as well wait in Postgres. */
  get mayWaitElsewhere(): boolean {
    return this.trust === 'slow' && this.isQueued && this.inFlight + this.unsettled === 0 && !this.isReading;
  }

  get wantsFresh(): boolean {
    return this.#next <= this.#last && this.#room > 0;
  }

  get wantsRetries(): boolean {
    return performance.now() >= this.#retryAt && this.#room > 0;
  }

  get #room(): number {
    const ahead = this.trust === 'trusted' ? Math.min(this.limit * AHEAD, MOST_AHEAD) : AHEAD_UNTRUSTED;
    // Reads are few and large: not before half of what was read is gone.
    return this.#ready.length > ahead / 2 ? 0 : ahead - this.#ready.length;
  }

  /** From where another process would read on. */
  get progress(): { cursor: number; cursorDay: string | null } & Lane['key'] {
    const fresh = [...this.#open.values()].filter(({ isAgain }) => !isAgain);
    const first = fresh.sort((a, b) => a.sequence - b.sequence)[0];
    return {
      ...this.key,
      cursor: first ? first.sequence - 1 : this.#next - 1,
      cursorDay: first ? first.day : this.#lastDay,
    };
  }

  /** Takes in that deliveries with numbers up to this one are there. */
  hear(lastSequence: number): void {
    this.#last = Math.max(this.#last, lastSequence);
  }

  /** Takes in what is new. Returns whether the endpoint itself has changed. */
  note({ lastSequence, nudges, version, hurriedAt }: LaneNews): boolean {
    this.hear(lastSequence);
    if (nudges !== this.#nudges) this.#retryAt = 0;
    this.#nudges = nudges;
    this.hurriedAt = hurriedAt;
    return version !== this.endpoint.version;
  }

  /** Begins a read. Returns what to read; `known` are the numbers of what is open. */
  beginRead(): LaneRead & { known: number[] } {
    for (const [subject, count] of this.#blocked) if (count === 0) this.#blocked.delete(subject);
    this.isReading = true;
    return {
      ...this.key,
      isOrdered: this.#isOrdered,
      ...{ from: this.#next, day: this.#lastDay, limit: this.#room, last: this.#last, known: [...this.#open.keys()] },
    };
  }

  /** Call with what a read has found that was not tried yet. Returns what has to be deferred. */
  addFresh(found: readonly DueDelivery[], { limit, last: known }: Pick<LaneRead, 'limit' | 'last'>): DueDelivery[] {
    const last = found.at(-1);
    if (last) [this.#next, this.#lastDay] = [last.sequence + 1, last.day];
    // Numbers become visible in their order, so nothing up to the last one that was known before can come later.
    if (found.length < limit) this.#next = Math.max(this.#next, known + 1);
    return this.#add(found);
  }

  /** The same for deliveries that are to be tried again. */
  addRetries(found: readonly DueDelivery[], { limit }: Pick<LaneRead, 'limit'>): DueDelivery[] {
    this.#retryAt = found.length < limit ? performance.now() + LOOK_AGAIN_MS : 0;
    return this.#add(found);
  }

  #add(found: readonly DueDelivery[]): DueDelivery[] {
    return found.filter((delivery) => {
      const { sequence, waitsFor } = delivery;
      if (this.#open.has(sequence)) return false;
      const subject = this.#isOrdered ? delivery.subject : null;
      const waiting = subject === null ? undefined : this.#waiting.get(subject);
      const isDeferred =
        subject !== null &&
        (this.#blocked.has(subject) ||
          (waitsFor !== null && !this.#open.has(waitsFor)) ||
          (waiting !== undefined && waiting.length >= MOST_WAITING));
      this.#open.set(sequence, delivery);
      if (isDeferred) this.#block(subject, 1);
      else if (waiting) insert(waiting, delivery);
      else {
        if (subject !== null) this.#waiting.set(subject, []);
        insert(this.#ready, delivery);
      }
      return isDeferred;
    });
  }

  #block(subject: string, count: number): void {
    this.#blocked.set(subject, (this.#blocked.get(subject) ?? 0) + count);
  }

  /** Call when deliveries are deferred in Postgres. */
  deferred(deliveries: readonly DueDelivery[]): void {
    for (const { sequence, subject } of deliveries) {
      this.#open.delete(sequence);
      this.#block(subject!, -1);
    }
  }

  /** The next delivery to send, on a connection that was taken for this lane. */
  take(): DueDelivery {
    return this.#ready.shift()!;
  }

  /** Puts a delivery back that was not sent. */
  putBack(delivery: DueDelivery): void {
    insert(this.#ready, delivery);
  }

  /** Drops deliveries that were erased, but for those that are on their way: then it `mustForget` when they are settled. */
  forget(erased: ReadonlySet<number>): void {
    const isErased = ({ sequence }: DueDelivery): boolean => erased.has(sequence);
    for (const waiting of this.#waiting.values())
      for (const { sequence } of extract(waiting, isErased)) this.#open.delete(sequence);
    for (const delivery of extract(this.#ready, isErased)) this.settled(delivery, null);
    this.mustForget = [...erased].some((sequence) => this.#open.has(sequence));
  }

  /**
   * Call when a delivery is settled, with the seconds until it is tried again; null if it has ended: then the next one
   * with its subject is ready. Returns what waits for it and has to be deferred.
   */
  settled({ sequence, subject }: DueDelivery, againIn: number | null): DueDelivery[] {
    this.#open.delete(sequence);
    if (againIn !== null) this.#retryAt = Math.min(this.#retryAt, performance.now() + againIn * 1000);
    const waiting = subject === null ? undefined : this.#waiting.get(subject);
    if (!waiting) return [];
    const next = againIn === null ? waiting.shift() : undefined;
    if (next) {
      insert(this.#ready, next);
      return [];
    }
    this.#waiting.delete(subject!);
    if (againIn !== null) this.#block(subject!, waiting.length);
    return waiting;
  }
}

/** Takes out of a list what fits. */
function extract(list: DueDelivery[], isWanted: (delivery: DueDelivery) => boolean): DueDelivery[] {
  const taken = list.filter(isWanted);
  if (taken.length > 0) list.splice(0, list.length, ...list.filter((delivery) => !isWanted(delivery)));
  return taken;
}

function insert(list: DueDelivery[], delivery: DueDelivery): void {
  let at = list.length;
  while (at > 0 && list[at - 1]!.sequence > delivery.sequence) at -= 1;
  list.splice(at, 0, delivery);
}
