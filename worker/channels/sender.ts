import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import { engineEm } from '../../db/orm.ts';
import { leaseSends } from '../../domain/channels/ledger/lease-sends.ts';
import { Wake } from '../../lib/async/wake.ts';
import type { Deps } from '../../runtime/deps.ts';
import { HealthReports } from '../senders/health.ts';
import { Connections, type Flight } from '../turns/connections.ts';
import { ANSWER_MS, Attempts, MARGIN_MS } from './attempts.ts';
import { Providers } from './providers.ts';
import { TenantLine, type Waiting } from './tenant-line.ts';

const POLL_MS = 500;
const GATHER_MS = 5;
/** A send that waits for its connection is QUEUED, under this lease. */
const LEASE_SECONDS = 60;
/** Per connection, how many sends are in hand: on it, or leased in advance, so that it need not wait for Postgres. */
const IN_HAND = 8;
/** A lease reads past what is in hand, so it is made only when half of what may be in hand is free. */
const LEASED_AT = 1 / 2;
/** Until then, small leases serve tenants that have nothing waiting in a lane. Sends in such a lease, per connection. */
const LEASED_BETWEEN = 1 / 4;
/** There is such a lease in a lane when it had no lease for this time. */
const BETWEEN_MS = 100;
/** The share of what may be in hand that slow tenants may have together. */
const SLOW_SHARE = 1 / 4;
/** The share of the connections that one tenant may have: its provider may fall silent, and others must not wait for it. */
const TENANT_SHARE = 7 / 8;
/** Sends are given back when there are so many times as many as may be in hand: each costs a statement's row. */
const GIVEN_BACK_BEYOND = 2;
/** Everything that is on its way is answered and settled by then. */
const STOP_MS = ANSWER_MS + 5_000;
const LONGEST_WAKE_MS = 60_000;

/**
 * Sends this process's text messages and pushes: leases sends, and gives them connections, tenants in turn. See
 * `Attempts` for what is done with them there.
 */
export class Sender {
  readonly #deps: Deps;
  readonly #holder = `messages-${randomBytes(9).toString('base64url')}`;
  readonly #providers: Providers;
  readonly #health: HealthReports;
  readonly #attempts: Attempts;
  readonly #connections: Connections<TenantLine>;
  readonly #lines = new Map<string, TenantLine>();
  readonly #wake = new Wake(POLL_MS);
  readonly #inHand = new Set<Promise<void>>();
  /** In these lanes, something may be due. */
  readonly #lanes = new Set<EmailLane>(EMAIL_LANES);
  /** The time of the last lease, by lane. */
  readonly #leasedAt = new Map<EmailLane, number>();
  readonly #loop: Promise<void>;
  #stopping = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#providers = new Providers(deps);
    this.#health = new HealthReports(deps, this.#holder, () => this.#providers.reports());
    this.#attempts = new Attempts(deps, this.#holder, this.#providers, (ms) => this.#wakeIn(ms));
    this.#connections = new Connections(deps.env.MESSAGE_CONNECTIONS);
    this.#loop = this.#run();
  }

  /** Call when there may be something to send in these lanes; in any, if none is named. */
  wake(lanes: readonly EmailLane[]): void {
    for (const lane of lanes.length > 0 ? lanes : EMAIL_LANES) this.#lanes.add(lane);
    this.#wake.now();
  }

  /** Starts nothing more, and waits until what is on its way is answered and settled, for a bounded time. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#attempts.stop();
    this.#wake.now();
    await this.#loop;
    for (const line of this.#lines.values())
      for (let next = line.take(); next; next = line.take())
        this.#track(line, this.#attempts.putOff(next.leased.id, 0));
    const giveUp = performance.now() + STOP_MS;
    while (this.#inHand.size > 0 && performance.now() < giveUp)
      await Promise.race([Promise.all(this.#inHand), delay(100)]);
    if (this.#inHand.size > 0)
      this.#deps.log.warn({ messages: this.#inHand.size }, 'stopped while sending: some messages will be UNKNOWN');
    await this.#health.stop();
  }

  async #run(): Promise<void> {
    let polledAt = performance.now();
    while (!this.#stopping) {
      if (performance.now() - polledAt >= POLL_MS) {
        polledAt = performance.now();
        for (const lane of EMAIL_LANES) this.#lanes.add(lane);
        this.#connections.noticeSlow();
        this.#sendWaiting();
      }
      try {
        await this.#lease();
      } catch (error) {
        this.#deps.log.warn({ err: error }, 'could not lease messages');
        await delay(POLL_MS);
      }
      await this.#wake.wait();
      await delay(GATHER_MS);
    }
  }

  async #lease(): Promise<void> {
    const isNowFull = this.#full();
    for (const line of this.#lines.values())
      if (line.isLeftOut && !isNowFull.has(line)) {
        line.isLeftOut = false;
        for (const lane of EMAIL_LANES) this.#lanes.add(lane);
      }
    for (const lane of EMAIL_LANES) {
      if (!this.#lanes.has(lane)) continue;
      const lines = [...this.#lines.values()];
      const full = this.#full();
      const room = this.#mostInHand - inHandOf(lines.filter((line) => !full.has(line)));
      if (room >= this.#mostInHand * LEASED_AT) {
        this.#lanes.delete(lane);
        for (const line of full) line.isLeftOut = true;
        const leased = await this.#leaseOf(lane, room, [...full]);
        if (leased === room) this.#lanes.add(lane);
      } else if (performance.now() - (this.#leasedAt.get(lane) ?? -Infinity) >= BETWEEN_MS) {
        const limit = Math.max(1, Math.floor(this.#deps.env.MESSAGE_CONNECTIONS * LEASED_BETWEEN));
        const others = lines.filter((line) => full.has(line) || line.waitsIn(lane));
        await this.#leaseOf(lane, limit, others);
      }
    }
  }

  /** Leases sends of a lane, not of the tenants of some lines, and offers them. Returns how many. */
  async #leaseOf(lane: EmailLane, limit: number, except: readonly TenantLine[]): Promise<number> {
    this.#leasedAt.set(lane, performance.now());
    const leased = await leaseSends(engineEm(this.#deps.orm), {
      ...{ holder: this.#holder, lane, limit, seconds: LEASE_SECONDS },
      except: except.map(({ key }) => key.tenantId),
    });
    const until = performance.now() + LEASE_SECONDS * 1000 - MARGIN_MS;
    for (const send of leased) {
      const line = this.#lineOf(send.tenantId);
      line.add({ leased: send, until });
      this.#connections.offer(line);
    }
    for (const line of new Set(leased.map(({ tenantId }) => this.#lineOf(tenantId)))) this.#giveBack(line);
    this.#sendWaiting();
    return leased.length;
  }

  /** Ends the leases of what a tenant cannot get rendered in time, now that it is known how long that takes. */
  #giveBack(line: TenantLine): void {
    const most = line.mostInHand(this.#mostInHand) * GIVEN_BACK_BEYOND;
    while (line.waiting > most) this.#track(line, this.#attempts.putOff(line.takeLast()!.leased.id, 0));
  }

  get #mostInHand(): number {
    return this.#deps.env.MESSAGE_CONNECTIONS * IN_HAND;
  }

  /** The tenants that have enough in hand, which takes no room from others. Slow ones share what they may have. */
  #full(): Set<TenantLine> {
    const lines = [...this.#lines.values()];
    const slow = lines.filter(({ trust, inHand }) => trust === 'slow' && inHand > 0);
    const enough = lines.filter((line) => line.inHand >= line.mostInHand(this.#mostInHand));
    return new Set(inHandOf(slow) >= this.#mostInHand * SLOW_SHARE ? [...enough, ...slow] : enough);
  }

  #lineOf(tenantId: string): TenantLine {
    const most = Math.max(1, Math.floor(this.#deps.env.MESSAGE_CONNECTIONS * TENANT_SHARE));
    const known = this.#lines.get(tenantId) ?? new TenantLine(tenantId, most);
    this.#lines.set(tenantId, known);
    return known;
  }

  #track(line: TenantLine, work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'could not send a message'))
      .finally(() => {
        this.#inHand.delete(tracked);
        line.inHand -= 1;
        this.#wake.now();
      });
    this.#inHand.add(tracked);
  }

  /** Gives connections to what waits for them. */
  #sendWaiting(): void {
    while (!this.#stopping) {
      const flight = this.#connections.take();
      if (!flight) return;
      const next = flight.line.take()!;
      this.#connections.offer(flight.line);
      this.#track(flight.line, this.#handle(next, flight));
    }
  }

  async #handle(waiting: Waiting, flight: Flight<TenantLine>): Promise<void> {
    let made: { stored: Promise<void> } | undefined;
    try {
      made = await this.#attempts.make(waiting, flight);
    } finally {
      this.#connections.free(flight);
      this.#giveBack(flight.line);
      this.#connections.offer(flight.line);
      this.#sendWaiting();
    }
    await made.stored;
  }

  #wakeIn(ms: number): void {
    // What is due later than that is found by the poll.
    if (ms <= LONGEST_WAKE_MS) setTimeout(() => this.wake([]), ms + GATHER_MS).unref();
  }
}

const inHandOf = (lines: readonly TenantLine[]): number => lines.reduce((sum, { inHand }) => sum + inHand, 0);
