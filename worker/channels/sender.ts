import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { shortBase } from '../../config/short-base.ts';
import { EMAIL_LANES, type EmailLane } from '../../db/entities/emails.ts';
import { engineEm } from '../../db/orm.ts';
import { leaseSends, putOffSends, type LeasedSend, type PutOff } from '../../domain/channels/ledger/lease-sends.ts';
import { markGone, settleSends, type SendSettlement } from '../../domain/channels/ledger/settle-sends.ts';
import type { PreparedSend } from '../../domain/channels/ledger/start-sends.ts';
import { pushToken } from '../../domain/channels/push/push-token.ts';
import { pushHostsOf } from '../../domain/channels/push/push-hosts.ts';
import type { CallOutcome } from '../../domain/channels/transport/outcome.ts';
import { judgeAnswer, prepareRequest, type SendToPrepare } from '../../domain/channels/transport/prepare.ts';
import { Batcher } from '../../domain/common/batcher.ts';
import { Places } from '../../domain/common/places.ts';
import { outboundError } from '../../domain/outbound/outbound-error.ts';
import { Wake } from '../../events/wake.ts';
import type { Deps } from '../../runtime/deps.ts';
import { OutcomeStore } from '../../runtime/outcome-store.ts';
import { HealthReports } from '../senders/health.ts';
import { prepare, requestOf, type Prepared } from './prepare.ts';
import { LONGEST_RETRY_SECONDS, Providers, type Provider } from './providers.ts';
import { Sites } from './sites.ts';
import { Starts, type Start } from './starts.ts';

const POLL_MS = 500;
const GATHER_MS = 5;
/** A send that waits for its connection is QUEUED, under this lease. */
const LEASE_SECONDS = 60;
/** Per connection, how many sends are leased and rendered in advance, so that a free connection need not wait for Postgres. */
const LEASED_AHEAD = 1;
/** The key of `Places` that all sends share: together they have MESSAGE_CONNECTIONS places. */
const PLACES = 'connections';
const CONNECT_MS = 5_000;
/** Without an answer for so long after its last byte, nobody can tell what became of a request. */
const ANSWER_MS = 30_000;
/** A SENDING send has its last byte from here to the answer, and then is settled. */
const SENDING_LEASE_SECONDS = 60;
/** This process considers the lease to start a request expired this much earlier than Postgres does. */
const MARGIN_MS = 20_000;
const STOP_MS = 20_000;
/** After a start whose result is unknown: its transaction may still commit. */
const LATE_COMMIT_SECONDS = 3;
const NO_PROVIDER_MS = 5_000;
const WAIT_MS = 500;
/** When a push service could not be reached. */
const UNREACHED_MS = 10_000;
const FIRST_RETRY_SECONDS = 1;
const LONGEST_FAULT_SECONDS = 15;
const LONGEST_WAKE_MS = 60_000;

/**
 * Sends this process's text messages and pushes: leases sends, renders them, opens a request and holds back its last
 * byte. When all else is written, the send is started (SENDING) by a transaction that asks every gate; then the byte
 * leaves. So SENDING means "on a connection now", and if the process dies:
 * - leased: still QUEUED, free again when the lease expires; without its last byte, a request has no effect;
 * - SENDING: the recovery makes it UNKNOWN (nobody can tell), and it is never sent again by itself;
 * - settled: nothing to do.
 */
export class Sender {
  readonly #deps: Deps;
  readonly #apiUrl: string;
  readonly #holder = `messages-${randomBytes(9).toString('base64url')}`;
  readonly #providers: Providers;
  readonly #sites: Sites;
  readonly #health: HealthReports;
  readonly #outcomes: OutcomeStore<SendSettlement>;
  readonly #starts: Starts;
  readonly #places: Places;
  readonly #putOffs: Batcher<PutOff & { done: () => void }>;
  readonly #wake = new Wake(POLL_MS);
  readonly #inHand = new Set<Promise<void>>();
  readonly #lanes = new Set<EmailLane>(EMAIL_LANES);
  readonly #loop: Promise<void>;
  #stopping = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#apiUrl = `${deps.env.PUBLIC_URL.replace(/\/+$/, '')}/api/v1`;
    this.#providers = new Providers(deps);
    this.#sites = new Sites(deps);
    this.#health = new HealthReports(deps, this.#holder, () => this.#providers.reports());
    this.#outcomes = new OutcomeStore({
      log: deps.log,
      write: async (settlements) => {
        await settleSends(engineEm(deps.orm), settlements);
      },
      onRefused: ({ id }, error) =>
        deps.log.error({ err: error, sendId: id }, 'the outcome of a send cannot be stored'),
    });
    this.#starts = new Starts(deps, this.#holder, SENDING_LEASE_SECONDS);
    this.#places = new Places({
      most: deps.env.MESSAGE_CONNECTIONS,
      mostWaiting: Infinity,
      waitMs: LEASE_SECONDS * 1000,
    });
    this.#putOffs = new Batcher({
      gather: () => delay(GATHER_MS),
      maxItems: 500,
      maxConcurrent: 1,
      handle: async (sends) => {
        // If this fails, their leases expire.
        await putOffSends(engineEm(deps.orm), this.#holder, sends).catch((error: unknown) =>
          deps.log.warn({ err: error }, 'could not put off messages'),
        );
        for (const { done } of sends) done();
      },
    });
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
    this.#wake.now();
    await this.#loop;
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
    const most = this.#deps.env.MESSAGE_CONNECTIONS;
    for (const lane of EMAIL_LANES) {
      const room = most + most * LEASED_AHEAD - this.#inHand.size;
      // Few large leases: not for the one connection that has just become free.
      if (!this.#lanes.has(lane) || room < Math.min(most / 4, 25)) continue;
      this.#lanes.delete(lane);
      const leased = await leaseSends(engineEm(this.#deps.orm), {
        ...{ holder: this.#holder, lane, limit: room, seconds: LEASE_SECONDS },
      });
      const until = performance.now() + LEASE_SECONDS * 1000 - MARGIN_MS;
      if (leased.length === room) this.#lanes.add(lane);
      for (const send of leased) this.#track(this.#handle(send, until));
    }
  }

  #track(work: Promise<void>): void {
    const tracked: Promise<void> = work
      .catch((error: unknown) => this.#deps.log.error({ err: error }, 'could not send a message'))
      .finally(() => {
        this.#inHand.delete(tracked);
        this.#wake.now();
      });
    this.#inHand.add(tracked);
  }

  async #handle(leased: LeasedSend, until: number): Promise<void> {
    const prepared = prepare(leased, shortBase(this.#deps.env));
    const { row } = prepared;
    const ends = row.failure !== undefined || row.expired || row.notBefore || leased.isTooOld;
    if (ends || !isComplete(prepared)) return this.#end(row);
    const isPlaced = await this.#places.take(PLACES, until - performance.now());
    if (!isPlaced) return this.#putOff(row.id, 0);
    try {
      if (this.#stopping) await this.#putOff(row.id, 0);
      else if (leased.type === 'webpush') await this.#sendToBrowser(prepared, until);
      else await this.#sendByProvider(prepared, until);
    } finally {
      this.#places.free(PLACES);
    }
  }

  async #sendByProvider(prepared: Prepared, until: number): Promise<void> {
    const { leased, row } = prepared;
    const provider = await this.#providers.choose(leased);
    if (provider === 'none') return this.#endOrWait(row, NO_PROVIDER_MS);
    if (provider === 'wait') return this.#putOff(row.id, WAIT_MS);
    provider.open += 1;
    try {
      const wait = await provider.take();
      if (wait > 0) await this.#putOff(row.id, wait);
      else await this.#send(prepared, requestOf(prepared, provider.row, provider.credentials), provider, until);
    } finally {
      provider.open -= 1;
    }
  }

  /** Push services are many, and each answer concerns one subscription: nothing is counted against them. */
  async #sendToBrowser(prepared: Prepared, until: number): Promise<void> {
    const { leased, row } = prepared;
    const site = await this.#sites.get(leased.tenantId, leased.device!.siteId);
    // Only its own site can send to a subscription.
    if (site === 'none') return this.#end({ ...row, failure: 'gone' });
    const { links, env } = this.#deps;
    const token = pushToken(links, leased.tenantId, leased.id);
    const webpush = { site, token, hosts: pushHostsOf(env) };
    await this.#send(prepared, { ...requestOf(prepared, null, {}), webpush }, null, until);
  }

  /** What cannot be sent ends as the gates and its failure say. */
  async #end(row: PreparedSend): Promise<void> {
    const started = await this.#starts.ask(row);
    if (started === null) return this.#notOurs(row);
    if (started.status === 'UNCERTAIN') return this.#settleUncertain(row, started.call);
    this.#count(started.status);
  }

  /** The lease is gone; or the send was locked for a moment, and must not stay under its lease. */
  #notOurs(row: PreparedSend): Promise<void> {
    return this.#putOff(row.id, WAIT_MS);
  }

  /** Without a provider a message waits; but what a gate refuses, or nobody is there to get, ends. */
  async #endOrWait(row: PreparedSend, delayMs: number): Promise<void> {
    await this.#end({ ...row, notBefore: new Date(Date.now() + delayMs) });
  }

  /** `provider`: null for Web Push. */
  async #send(prepared: Prepared, send: SendToPrepare, provider: Provider | null, until: number): Promise<void> {
    const { leased } = prepared;
    const row: PreparedSend = { ...prepared.row, providerId: provider?.row.id ?? null, isSendable: true };
    const { outbound } = this.#deps;
    const type = provider?.row.type ?? 'webpush';
    const call = await prepareRequest(type, send, { outbound, apiUrl: this.#apiUrl });
    provider?.breaker.used();
    let asking: Promise<Start> | undefined;
    if ('failed' in call) {
      const { result, reason } = call.failed;
      if (result !== 'FAILED') return this.#notStarted(leased, row, provider, call.failed);
      provider?.breaker.unused();
      return this.#end({ ...row, failure: reason ?? 'rejected', isSendable: false });
    }
    const answer = await outbound
      .send({
        owner: leased.tenantId,
        method: 'POST',
        ...call,
        headers: { 'user-agent': 'Perennial', ...call.headers },
        places: 'none',
        limits: { connectMs: CONNECT_MS, totalMs: ANSWER_MS },
        release: async () => {
          if (performance.now() >= until || this.#stopping) return false;
          // The lease begins with the statement that grants it, so not before this.
          const sendUntil = performance.now() + SENDING_LEASE_SECONDS * 1000 - MARGIN_MS;
          asking = this.#starts.ask(row);
          const started = await asking;
          return started?.status === 'SENDING' && performance.now() < sendUntil;
        },
      })
      .catch((error: unknown) => error as Error);
    const judged = judgeAnswer(type, send, answer, { outbound });
    const isSeen = answer instanceof Error ? outboundError(answer).released : answer.released;
    if (!asking) return this.#notStarted(leased, row, provider, judged);
    const outcome = isSeen ? judged : unseen(judged);
    // The request may have failed while the start was on its way: then it is settled as not sent.
    const started = await asking;
    if (started === null) {
      provider?.breaker.unused();
      return this.#notOurs(row);
    }
    if (started.status === 'UNCERTAIN') return this.#settleUncertain(row, started.call);
    if (started.status !== 'SENDING') {
      provider?.breaker.unused();
      return this.#count(started.status);
    }
    provider?.judge(outcome);
    await this.#settle(leased, row, started.attempt, outcome);
  }

  /** The provider could not be reached, or answered before it had the message: another one may take it at once. */
  async #notStarted(
    leased: LeasedSend,
    row: PreparedSend,
    provider: Provider | null,
    outcome: CallOutcome,
  ): Promise<void> {
    // The address of a subscription alone says that it is gone.
    if (outcome.isGone && leased.device) {
      provider?.breaker.unused();
      await markGone(engineEm(this.#deps.orm), { tenantId: leased.tenantId, id: leased.device.id });
      return this.#end({ ...row, failure: 'gone', isSendable: false });
    }
    provider?.judge(unseen(outcome));
    if (leased.isTest) return this.#end({ ...row, failure: `not_sent: ${outcome.reply}`, isSendable: false });
    // There is no other push service for a browser.
    const wait = Math.max(provider ? WAIT_MS : UNREACHED_MS, (outcome.retryAfter ?? 0) * 1000);
    // Of a provider, its health shows this.
    if (provider || outcome.reason !== 'outbound_refused') return this.#putOff(row.id, wait);
    await this.#putOff(row.id, Math.max(wait, backoffSeconds(leased.attempt + 1) * 1000), outcome.reply);
  }

  async #settle(leased: LeasedSend, row: PreparedSend, attempt: number, given: CallOutcome): Promise<void> {
    const outcome = leased.isTest ? ofTest(given) : given;
    const { fault } = outcome;
    // The provider knows the message by its key, so asking again sends nothing twice.
    const result = outcome.isRepeatable ? 'QUEUED' : outcome.result;
    const backoff = backoffSeconds(attempt);
    // Another provider may take what this one refused, and its breaker says when it is asked again: a message that came
    // back just then would be the one to try it each time. A push service has neither.
    const again =
      fault === 'refused' && row.providerId !== null
        ? WAIT_MS / 1000
        : Math.max(outcome.retryAfter ?? 0, fault ? Math.min(backoff, LONGEST_FAULT_SECONDS) : backoff);
    this.#count(result);
    await this.#outcomes.store({
      ...{ id: row.id, tenantId: row.tenantId, messageId: row.messageId, attempt },
      providerId: row.providerId,
      wasTried: true,
      result,
      reason: result === 'UNKNOWN' ? 'no_reply' : outcome.reason,
      providerMessageId: outcome.providerMessageId,
      reply: outcome.reply,
      suppress: outcome.suppress,
      isGone: outcome.isGone,
      isBound: outcome.isRepeatable,
      hasNotice: leased.optOutText !== null,
      ...(result === 'QUEUED' ? { delaySeconds: again } : {}),
    });
    if (result === 'QUEUED') this.#wakeIn(again * 1000);
  }

  /** It was surely not sent, but its start may have been committed: takes that back. */
  async #settleUncertain(row: PreparedSend, call: string): Promise<void> {
    await this.#outcomes.store({
      ...{ id: row.id, tenantId: row.tenantId, messageId: row.messageId, attempt: 0, start: call },
      ...{ providerId: null, wasTried: false, result: 'QUEUED', reason: null, providerMessageId: null, reply: null },
      delaySeconds: LATE_COMMIT_SECONDS,
    });
  }

  /** `refusal`: why its host may not be called. */
  #putOff(id: number, delayMs: number, refusal?: string): Promise<void> {
    this.#wakeIn(delayMs);
    return new Promise((done) =>
      this.#putOffs.add({ id, delayMs, ...(refusal === undefined ? {} : { refusal }), done }),
    );
  }

  #wakeIn(ms: number): void {
    // What is due later than that is found by the poll.
    if (ms <= LONGEST_WAKE_MS) setTimeout(() => this.wake([]), ms + GATHER_MS).unref();
  }

  #count(status: string): void {
    this.#deps.metrics.messages.inc({ outcome: status.toLowerCase() });
  }
}

/** How long it is waited after so many attempts. */
const backoffSeconds = (attempts: number): number =>
  Math.min(FIRST_RETRY_SECONDS * 2 ** Math.min(attempts - 1, 20), LONGEST_RETRY_SECONDS);

/** Whether there is something to send, and somewhere to send it. The gates say why if not. */
const isComplete = ({ leased, row, text, push }: Prepared): boolean =>
  leased.channel === 'sms' ? text !== null && row.address !== null : push !== null && leased.device !== null;

/** A test shows what the provider says now: it is not tried again, although nothing was accepted. */
const ofTest = (outcome: CallOutcome): CallOutcome =>
  outcome.result === 'QUEUED' ? { ...outcome, result: 'FAILED', reason: `not_sent: ${outcome.reply}` } : outcome;

/** Whatever a provider answers to a request without its last byte: it has not seen the message, and cannot refuse it. */
const unseen = (outcome: CallOutcome): CallOutcome => ({
  ...outcome,
  result: 'QUEUED',
  fault: outcome.result === 'QUEUED' ? outcome.fault : 'refused',
  suppress: null,
  isGone: false,
  isRepeatable: false,
});
