import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../../runtime/deps.ts';
import { engineEm, type EntityManager } from '../../db/orm.ts';
import { bodyOf } from '../../domain/webhooks/content/body.ts';
import { sendWebhook, type Sent } from '../../domain/webhooks/deliveries/attempt.ts';
import { erasedAmong, noteForgotten } from '../../domain/webhooks/deliveries/forget-erased.ts';
import {
  hurryRetries,
  LANE_LEASE_SECONDS,
  leaseLanes,
  lookAtLanes,
  readHeldEndpoints,
  releaseLanes,
  renewLanes,
  saveProgress,
  wakeForgottenLanes,
  type Progress,
  type WatchedLane,
} from '../../domain/webhooks/deliveries/lanes.ts';
import {
  readFresh,
  readRetries,
  type DueDelivery,
  type LaneRead,
} from '../../domain/webhooks/deliveries/read-deliveries.ts';
import { delayAfter, MOST_ATTEMPTS } from '../../domain/webhooks/deliveries/schedule.ts';
import { deferDeliveries, markSending, noteSuccesses } from '../../domain/webhooks/deliveries/settle-deliveries.ts';
import { openSecrets, type OpenSecrets } from '../../domain/webhooks/endpoints/keys.ts';
import { storeSealedAgain } from '../../domain/webhooks/endpoints/rotate-key.ts';
import { Wake } from '../../lib/async/wake.ts';
import { backoff } from '../../lib/time/backoff.ts';
import { every } from '../../runtime/every.ts';
import { Connections, SLOW_MS, type Flight } from '../turns/connections.ts';
import { createContactReader } from './contacts.ts';
import { Lane } from './lane.ts';
import { Settler } from './settler.ts';

const POLL_MS = 500;
/** What ends within this time is read and sent together. */
const GATHER_MS = 2;
const RENEW_EVERY_MS = 5_000;
/** This holder considers a lease expired this much earlier than Postgres does. */
const MARGIN_MS = 3_000;
const LANES_AT_ONCE = 200;
const MOST_LANES = 10_000;
/** A lane without work is kept for a moment: often there is more. */
const KEEP_IDLE_MS = 3_000;
/** A delivery that has been on its way for as long is shown as SENDING. */
const SHOW_SENDING_MS = 500;
const SWEEP_MS = 60_000;
const STOP_MS = 20_000;
/** A delivery for which there was no place waits for as long. */
const BUSY_MS = 200;
/** After so many failures one after the other, there is a pause after each request to an endpoint. */
const PATIENT_FAILURES = 20;
const PATIENT_MS = 250;
/** How often all lanes are looked at, whether something was told or not. */
const LOOK_AT_ALL_MS = 5_000;
/** When what waits for another delivery in Postgres is looked at again, if that one is not known. */
const DEFER_MS = 1_000;

/** A request, and what it is about. */
interface OnItsWay extends Flight<Lane> {
  delivery?: DueDelivery;
  isShown?: boolean;
}

/**
 * Delivers the webhooks of endpoints whose lanes this process has leased. Deliveries are read in the order of their
 * numbers, sent, and settled in batches. A delivery stays PENDING until it is settled: if the process dies, whoever
 * leases the lane next sends again what was on its way, under the same `webhook-id`.
 */
export class Deliverer {
  readonly #deps: Deps;
  readonly #em: () => EntityManager;
  readonly #holder = `webhooks-${randomBytes(9).toString('base64url')}`;
  /** How many lanes it leases. */
  readonly #mostLanes: number;
  readonly #lanes = new Map<number, Lane>();
  readonly #connections: Connections<Lane>;
  readonly #settler: Settler;
  readonly #contact: ReturnType<typeof createContactReader>;
  readonly #wake = new Wake(POLL_MS);
  readonly #working = new Set<Promise<void>>();
  readonly #timers: { stop: () => Promise<void> }[];
  readonly #loop: Promise<void>;
  /** Lanes that may have room for more. */
  readonly #toRead = new Set<Lane>();
  /** There may be lanes to lease; there may be news in those that are held. */
  #mayLease = true;
  #mustLook = false;
  #leasedAt = -Infinity;
  #lookedAt = performance.now();
  #sweptAt = performance.now();
  #stopping = false;

  constructor(deps: Deps, mostLanes = MOST_LANES) {
    this.#deps = deps;
    this.#mostLanes = mostLanes;
    this.#em = () => engineEm(deps.orm);
    this.#connections = new Connections(deps.env.WEBHOOK_CONNECTIONS);
    this.#settler = new Settler(deps);
    this.#contact = createContactReader(deps.orm);
    this.#timers = [
      every(RENEW_EVERY_MS, deps.log, 'could not renew the leases of webhooks', () => this.#renew()),
      every(POLL_MS, deps.log, 'could not store how far webhooks are', () => this.#tidy()),
    ];
    this.#loop = this.#run();
  }

  /**
   * Call when there is something to deliver: `details` are `endpoint:number` for the last deliveries of endpoints; none if
   * anything may have changed.
   */
  wake(details: readonly string[]): void {
    if (details.length === 0) this.#mayLease = this.#mustLook = true;
    for (const detail of details) {
      const [id, sequence] = detail.split(':').map(Number) as [number, number];
      const lane = this.#lanes.get(id);
      lane?.hear(sequence);
      if (lane) this.#toRead.add(lane);
      else this.#mayLease = true;
    }
    this.#wake.now();
  }

  /** Sends nothing more, waits until what is on its way is settled, for a bounded time, and gives the lanes back. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake.now();
    await this.#loop;
    const giveUp = performance.now() + STOP_MS;
    while (this.#working.size > 0 && performance.now() < giveUp)
      await Promise.race([Promise.all(this.#working), delay(100)]);
    await Promise.all(this.#timers.map((timer) => timer.stop()));
    if (this.#working.size > 0)
      this.#deps.log.warn({ deliveries: this.#working.size }, 'stopped while delivering: they will be repeated');
    await this.#release([...this.#lanes.values()]).catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, 'could not give back the leases of webhooks'),
    );
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.#lookForWork();
        await this.#readLanes();
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'could not read webhooks');
        await delay(POLL_MS);
      }
      this.#send();
      await this.#wake.wait();
      await delay(GATHER_MS);
    }
  }

  async #lookForWork(): Promise<void> {
    const now = performance.now();
    if (this.#mustLook || now - this.#lookedAt >= LOOK_AT_ALL_MS) {
      this.#mustLook = false;
      this.#lookedAt = now;
      await this.#look();
    }
    if (this.#mayLease || now - this.#leasedAt >= POLL_MS) {
      this.#mayLease = false;
      this.#leasedAt = now;
      await this.#lease();
    }
  }

  /** Looks for news in the lanes that are held, and gives back those that have to be. */
  async #look(): Promise<void> {
    const held = [...this.#lanes.values()];
    if (held.length === 0) return;
    const news = await lookAtLanes(
      this.#em(),
      this.#holder,
      held.map(({ key }) => key),
    );
    const found = new Map(news.map((one) => [one.endpointId, one]));
    const changed: Lane[] = [];
    for (const lane of held) {
      const its = found.get(lane.id);
      if (!its) lane.isLost = true;
      else if (lane.note(its)) changed.push(lane);
      this.#toRead.add(lane);
    }
    if (changed.length > 0) {
      const endpoints = await readHeldEndpoints(
        this.#em(),
        changed.map(({ key }) => key),
      );
      const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
      // Not by the map of lanes: one may have been given back meanwhile.
      for (const lane of changed) {
        const endpoint = byId.get(lane.id) ?? lane.endpoint;
        // What is in hand was read for the other order: it is read anew, when what is on its way has ended.
        if (endpoint.ordering !== lane.endpoint.ordering) lane.isLost = true;
        Object.assign(lane, { endpoint, secrets: null });
      }
    }
    await this.#forget(held, found);
    // Who takes the lane next would repeat what is still on its way.
    await this.#release(held.filter(({ isLost, inFlight, unsettled }) => isLost && inFlight + unsettled === 0));
  }

  /**
   * Drops what was erased since it was read, and notes that where none of it is on its way. Reads and looks follow each
   * other, so nothing is being read meanwhile.
   */
  async #forget(held: readonly Lane[], found: ReadonlyMap<number, WatchedLane>): Promise<void> {
    const asked = held.filter(({ id }) => {
      const its = found.get(id);
      return its && its.forgotten < its.erasures;
    });
    for (let at = 0; at < asked.length; at += LANES_AT_ONCE) {
      const lanes = asked.slice(at, at + LANES_AT_ONCE);
      const erased = await erasedAmong(
        this.#em(),
        lanes.flatMap(({ inHand }) => inHand),
      );
      const byLane = Map.groupBy(erased, ({ endpointId }) => endpointId);
      for (const lane of lanes) {
        lane.forget(new Set(byLane.get(lane.id)?.map(({ sequence }) => sequence)));
        this.#connections.offer(lane);
      }
      const done = lanes.filter(({ mustForget }) => !mustForget);
      await noteForgotten(
        this.#em(),
        this.#holder,
        done.map(({ id, key }) => ({ ...key, erasures: found.get(id)!.erasures })),
      );
    }
  }

  /**
   * Leases lanes while connections are free for them; else only those of tenants that have none waiting here, which must
   * not wait for these. Slow ones have connections of their own, so they keep only slow ones out.
   */
  async #lease(): Promise<void> {
    const room = this.#mostLanes - this.#lanes.size;
    if (room <= 0) return;
    const { WEBHOOK_CONNECTIONS: many } = this.#deps.env;
    const waiting = this.#connections.waiting('trusted', 'new');
    const except = this.#connections.isFull || waiting.lines > many ? waiting.tenants : [];
    const slow = this.#connections.waiting('slow');
    const exceptSlow = this.#isCrowded || slow.lines > many ? slow.tenants : [];
    const until = performance.now() + LANE_LEASE_SECONDS * 1000 - MARGIN_MS;
    const limit = Math.min(room, LANES_AT_ONCE);
    const held = [...this.#lanes.keys()];
    const leased = await leaseLanes(this.#em(), { holder: this.#holder, limit, except, exceptSlow, held });
    for (const one of leased) {
      const lane = new Lane(one, until);
      this.#lanes.set(lane.id, lane);
      this.#toRead.add(lane);
    }
    this.#mayLease = leased.length >= limit / 2;
  }

  /** Reads ahead for the lanes that have room. */
  async #readLanes(): Promise<void> {
    const lanes = [...this.#toRead].filter(({ isLost, isReading }) => !isLost && !isReading);
    this.#toRead.clear();
    for (const lane of lanes) {
      if (lane.hurriedAt && (await hurryRetries(this.#em(), lane.key, lane.hurriedAt))) lane.hurriedAt = null;
    }
    const reads = new Map<Lane, LaneRead & { known: number[] }>();
    const fresh = lanes.filter(({ wantsFresh }) => wantsFresh).slice(0, LANES_AT_ONCE);
    const retries = lanes.filter(({ wantsRetries }) => wantsRetries).slice(0, LANES_AT_ONCE);
    for (const lane of new Set([...fresh, ...retries])) reads.set(lane, lane.beginRead());
    try {
      if (retries.length > 0) {
        const found = await readRetries(
          this.#em(),
          retries.map((lane) => reads.get(lane)!),
        );
        this.#add(retries, reads, found, 'addRetries');
      }
      if (fresh.length > 0) {
        const found = await readFresh(
          this.#em(),
          fresh.map((lane) => reads.get(lane)!),
        );
        this.#add(fresh, reads, found, 'addFresh');
      }
    } finally {
      for (const lane of reads.keys()) lane.isReading = false;
    }
    for (const lane of lanes) if (lane.wantsFresh || lane.wantsRetries || lane.hurriedAt) this.#toRead.add(lane);
    if (this.#toRead.size > 0) this.#wake.now();
  }

  #add(
    lanes: readonly Lane[],
    reads: ReadonlyMap<Lane, LaneRead>,
    found: readonly DueDelivery[],
    how: 'addFresh' | 'addRetries',
  ): void {
    const byLane = Map.groupBy(found, ({ endpointId }) => endpointId);
    for (const lane of lanes) {
      const deferred = lane[how](byLane.get(lane.id) ?? [], reads.get(lane)!);
      this.#defer(lane, deferred);
      this.#connections.offer(lane);
    }
  }

  /** Lets deliveries wait in Postgres for an earlier one with their subject. */
  #defer(lane: Lane, deliveries: readonly DueDelivery[], seconds = 0): void {
    if (deliveries.length === 0) return;
    const earliest = Date.now() + Math.max(DEFER_MS, seconds * 1000);
    const rows = deliveries.map(({ endpointId, sequence, day, waitsUntil }) => ({
      ...{ endpointId, sequence, day },
      until: new Date(Math.max(earliest, waitsUntil?.getTime() ?? 0)),
    }));
    const store = async (): Promise<void> => {
      for (let failures = 1; !lane.isLost; failures += 1) {
        try {
          await deferDeliveries(this.#em(), rows);
          return lane.deferred(deliveries);
        } catch (error) {
          this.#deps.log.warn({ err: error }, 'could not defer webhooks, will retry');
          await delay(backoff(failures, 200, 5_000));
        }
      }
    };
    this.#track(store());
  }

  /** Sends what may be sent. */
  #send(): void {
    while (!this.#stopping) {
      const flight: OnItsWay | null = this.#connections.take();
      if (!flight) return;
      const { line: lane } = flight;
      const delivery = lane.take();
      this.#connections.offer(lane);
      flight.delivery = delivery;
      this.#track(this.#deliver(flight, delivery));
    }
  }

  async #deliver(flight: OnItsWay, delivery: DueDelivery): Promise<void> {
    const { line: lane } = flight;
    const { version } = lane.endpoint;
    const sent = await this.#attempt(lane, delivery).catch((error: unknown) => {
      this.#deps.log.warn({ err: error, endpointId: lane.id }, 'could not try a webhook');
      return null;
    });
    this.#connections.free(flight);
    if (!sent || sent.isBusy) {
      this.#deps.metrics.webhooks.inc({ outcome: 'postponed' });
      await delay(BUSY_MS);
      lane.putBack(delivery);
    } else await this.#settle(flight, delivery, { ...sent, version });
    this.#connections.offer(lane);
    this.#toRead.add(lane);
    // A lane that is lost is given back when the last of its requests has ended.
    if (lane.mustForget || lane.isLost) this.#mustLook = true;
    this.#wake.now();
  }

  /** Null: the lease ended, or the lane was lost, before it could be sent. */
  async #attempt(lane: Lane, { event, sequence, contactId }: DueDelivery): Promise<Sent | null> {
    const { endpoint } = lane;
    const format = endpoint.format ?? 'standard';
    const contact =
      endpoint.include?.includes('contact') && contactId !== null
        ? await this.#contact(endpoint.tenantId, contactId)
        : undefined;
    if (lane.isLost || performance.now() >= lane.until) return null;
    const secrets = (lane.secrets ??= this.#secretsOf(lane));
    if (!secrets) return unsigned();
    const body = bodyOf(event, { format, sequence }, contact);
    return sendWebhook(this.#deps.outbound, { endpoint, secrets, id: event.id, body, places: 'none' });
  }

  #secretsOf({ endpoint }: Lane): OpenSecrets | null {
    try {
      const secrets = openSecrets(this.#deps.env, endpoint);
      if (secrets.again) this.#track(storeSealedAgain(this.#em(), endpoint, secrets.again).catch(() => undefined));
      return secrets;
    } catch (error) {
      this.#deps.log.error({ err: error, endpointId: endpoint.id }, 'cannot decrypt the secrets of a webhook');
      return null;
    }
  }

  async #settle(
    { line: lane, since }: Flight<Lane>,
    delivery: DueDelivery,
    sent: Sent & { version: number },
  ): Promise<void> {
    const { sequence, day, attempts, mostAttempts, subject, isAgain } = delivery;
    const { isDelivered, isGone, attempt, version } = sent;
    lane.trust = isDelivered && performance.now() - since < SLOW_MS ? 'trusted' : 'slow';
    lane.failures = isDelivered ? 0 : lane.failures + 1;
    if (lane.failures > PATIENT_FAILURES) this.#pause(lane);
    if (isGone && version === lane.endpoint.version) lane.isLost = true;
    this.#deps.metrics.webhooks.inc({ outcome: isDelivered ? 'delivered' : 'failed' });
    const failed = MOST_ATTEMPTS - (mostAttempts - attempts) + 1;
    const delaySeconds = isDelivered ? null : delayAfter(failed, sent.retryAfter);
    const isWaitedFor = isAgain && lane.endpoint.ordering === 'contact' && subject !== null;
    lane.unsettled += 1;
    const againIn = await this.#settler.settle({
      lane,
      isGone,
      version,
      settlement: { ...lane.key, sequence, day, attempts, attempt, delaySeconds, isWaitedFor },
    });
    lane.unsettled -= 1;
    this.#defer(lane, lane.settled(delivery, againIn), againIn ?? 0);
  }

  /** A pause, so that an endpoint that always fails is not asked as fast as it fails. */
  #pause(lane: Lane): void {
    lane.pausedUntil = performance.now() + PATIENT_MS;
    setTimeout(() => {
      this.#connections.offer(lane);
      this.#wake.now();
    }, PATIENT_MS + 1).unref();
  }

  async #renew(): Promise<void> {
    const lanes = [...this.#lanes.values()].filter(({ isLost }) => !isLost);
    if (lanes.length === 0) return;
    const until = performance.now() + LANE_LEASE_SECONDS * 1000 - MARGIN_MS;
    const held = new Set(
      await renewLanes(
        this.#em(),
        this.#holder,
        lanes.map(({ key }) => key),
      ),
    );
    for (const lane of lanes) {
      if (held.has(lane.id)) lane.until = until;
      else lane.isLost = true;
      // It sends nothing while the lease may be over, nor when it is lost.
      this.#connections.offer(lane);
    }
    if (held.size < lanes.length) this.#mayLease = this.#mustLook = true;
    this.#wake.now();
  }

  /** What is done now and then: shows what takes long, stores how far lanes are, and gives idle ones back. */
  async #tidy(): Promise<void> {
    this.#connections.noticeSlow();
    await this.#showSending();
    const now = performance.now();
    const idle: Lane[] = [];
    const progress: Progress[] = [];
    const excess = this.#excess();
    for (const lane of this.#lanes.values()) {
      if (!lane.isIdle || lane.isLost) lane.idleSince = null;
      else if (now - (lane.idleSince ??= now) >= KEEP_IDLE_MS) idle.push(lane);
      if (lane.wantsRetries) this.#toRead.add(lane);
      const reached = lane.progress;
      if (reached.cursor !== lane.savedCursor) progress.push(reached);
      lane.savedCursor = reached.cursor;
    }
    if (progress.length > 0) await saveProgress(this.#em(), this.#holder, progress);
    // Something may have come for one meanwhile, and be on its way.
    await this.#release([
      ...idle.filter(({ isIdle }) => isIdle),
      ...excess.filter(({ mayWaitElsewhere }) => mayWaitElsewhere),
    ]);
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    await wakeForgottenLanes(this.#em());
  }

  /** More than half of the lanes that it may hold are held: slow ones must leave room for the others. */
  get #isCrowded(): boolean {
    return this.#lanes.size > this.#mostLanes / 2;
  }

  /** The slow lanes to give back so that there is room, those that have been held for longest first. */
  #excess(): Lane[] {
    if (!this.#isCrowded) return [];
    const slow = [...this.#lanes.values()].filter(({ mayWaitElsewhere }) => mayWaitElsewhere);
    return slow.slice(0, this.#lanes.size - Math.floor(this.#mostLanes / 2));
  }

  async #showSending(): Promise<void> {
    const now = performance.now();
    const long = [...this.#connections.flights].filter(
      (flight: OnItsWay) => flight.delivery && !flight.isShown && now - flight.since >= SHOW_SENDING_MS,
    ) as OnItsWay[];
    if (long.length === 0) return;
    for (const flight of long) flight.isShown = true;
    await markSending(
      this.#em(),
      long.map(({ delivery }) => delivery!),
    );
  }

  /** Gives lanes back. What is still on its way there is settled nevertheless. */
  async #release(given: readonly Lane[]): Promise<void> {
    const lanes = given.filter(({ isGivenBack }) => !isGivenBack);
    if (lanes.length === 0) return;
    for (const lane of lanes) lane.isLost = lane.isGivenBack = true;
    try {
      await noteSuccesses(
        this.#em(),
        lanes.flatMap(({ key, unnoted }) => (unnoted ? [{ ...key, at: unnoted }] : [])),
      );
      await releaseLanes(
        this.#em(),
        this.#holder,
        lanes.map(({ progress }) => progress),
      );
    } finally {
      // Not before: what is still here is not leased again, so that this gives no later lease back.
      for (const lane of lanes) if (this.#lanes.get(lane.id) === lane) this.#lanes.delete(lane.id);
    }
    // What came while they were given back was told to lanes that read no more.
    this.#mayLease = true;
    this.#wake.now();
  }

  #track(work: Promise<void>): void {
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }
}

/** The outcome of an attempt that could not be signed. */
const unsigned = (): Sent => ({
  attempt: { at: new Date(), status: null, ms: 0, error: 'the secrets cannot be decrypted', response: null },
  ...{ isDelivered: false, isGone: false, isBusy: false, retryAfter: null },
});
