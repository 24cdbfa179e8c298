import { setTimeout as delay } from 'node:timers/promises';
import { shortBase } from '../../config/short-base.ts';
import type { ChannelProvider } from '../../db/entities/channels.ts';
import { engineEm } from '../../db/orm.ts';
import { putOffSends, type LeasedSend, type PutOff } from '../../domain/channels/ledger/lease-sends.ts';
import { markGone } from '../../domain/channels/ledger/settle-sends.ts';
import type { PreparedSend } from '../../domain/channels/ledger/start-sends.ts';
import { pushToken } from '../../domain/channels/push/push-token.ts';
import { pushHostsOf } from '../../domain/channels/push/push-hosts.ts';
import { askedAs } from '../../domain/channels/transport/http.ts';
import type { CallOutcome } from '../../domain/channels/transport/outcome.ts';
import { judgeAnswer, prepareRequest, type SendToPrepare } from '../../domain/channels/transport/prepare.ts';
import { Batcher } from '../../lib/async/batcher.ts';
import { outboundError } from '../../domain/outbound/outbound-error.ts';
import type { Deps } from '../../runtime/deps.ts';
import { SLOW_MS, type Flight } from '../turns/connections.ts';
import { isComplete, requestOf, rowOf, type Rendered } from './prepare.ts';
import { backoff } from '../../lib/time/backoff.ts';
import { LONGEST_RETRY_SECONDS, type Provider, type Providers } from './providers.ts';
import { Renders } from './renders.ts';
import { Sites } from './sites.ts';
import { LedgerWrites, type Start } from './ledger-writes.ts';
import type { TenantLine, Waiting } from './tenant-line.ts';

const GATHER_MS = 5;
const CONNECT_MS = 5_000;
/** Without an answer for so long after its last byte, nobody can tell what became of a request. */
export const ANSWER_MS = 30_000;
/** A SENDING send has its last byte from here to the answer, and then is settled. */
const SENDING_LEASE_SECONDS = 60;
/** This process considers its leases expired this much earlier than Postgres does. */
export const MARGIN_MS = 20_000;
/** After a start whose result is unknown: its transaction may still commit. */
const LATE_COMMIT_SECONDS = 3;
const NO_PROVIDER_MS = 5_000;
const WAIT_MS = 500;
/** When Postgres cannot store a start: it will not the next time either, unless somebody has mended something. */
const REFUSED_MS = 60_000;
/** While another message tries a provider. */
const TRIAL_WAIT_MS = 100;
/** When a push service could not be reached. */
const UNREACHED_MS = 10_000;
const FIRST_RETRY_SECONDS = 1;
const LONGEST_FAULT_SECONDS = 15;

/** One send with its connection. */
interface Attempt {
  leased: LeasedSend;
  row: PreparedSend;
  until: number;
  flight: Flight<TenantLine>;
}

/** Stores what became of a send, when its provider has been judged and may get another. */
type Rest = () => Promise<void>;

/** What came of a request. */
interface Heard {
  /** What it says of the provider; absent: nothing. */
  outcome?: CallOutcome;
  rest: Rest;
}

/**
 * What is done with a leased send that has a connection: renders it, opens a request and holds back its last byte. When
 * all else is written, the send is started (SENDING) by a transaction that asks every gate; then the byte leaves. So
 * SENDING means "on a connection now", and if the process dies:
 * - leased: still QUEUED, free again when the lease expires; without its last byte, a request has no effect;
 * - SENDING: the recovery makes it UNKNOWN (nobody can tell), and it is never sent again by itself;
 * - settled: nothing to do.
 */
export class Attempts {
  readonly #deps: Deps;
  readonly #apiUrl: string;
  readonly #providers: Providers;
  readonly #wakeIn: (ms: number) => void;
  readonly #sites: Sites;
  readonly #ledger: LedgerWrites;
  readonly #renders: Renders;
  readonly #putOffs: Batcher<PutOff & { done: () => void }>;
  /** Nothing more is started. */
  #isStopping = false;
  /** For each send whose templates are being rendered: waits for them no longer. */
  readonly #rendering = new Set<() => void>();

  /** `wakeIn` is called with the time until something that was put off is due. */
  constructor(deps: Deps, holder: string, providers: Providers, wakeIn: (ms: number) => void) {
    this.#deps = deps;
    this.#apiUrl = `${deps.env.PUBLIC_URL.replace(/\/+$/, '')}/api/v1`;
    this.#providers = providers;
    this.#wakeIn = wakeIn;
    this.#sites = new Sites(deps);
    this.#ledger = new LedgerWrites(deps, holder, SENDING_LEASE_SECONDS);
    const { PUBLIC_URL: publicUrl, LINK_SECRET: linkSecret } = deps.env;
    this.#renders = new Renders({ base: shortBase(deps.env), links: { publicUrl, linkSecret } });
    this.#putOffs = new Batcher({
      gather: () => delay(GATHER_MS),
      maxItems: 500,
      maxConcurrent: 1,
      handle: async (sends) => {
        // If this fails, their leases expire.
        await putOffSends(engineEm(deps.orm), holder, sends).catch((error: unknown) =>
          deps.log.warn({ err: error }, 'could not put off messages'),
        );
        for (const { done } of sends) done();
      },
    });
  }

  /** Starts nothing more; what waits for a thread is not waited for. */
  stop(): void {
    this.#isStopping = true;
    for (const giveUp of this.#rendering) giveUp();
  }

  /**
   * Resolves when its connection is free for another. Its outcome is on its way to the ledger then, and `stored` resolves
   * when it has arrived: before the next send of the connection is started, so no more are in doubt than there are
   * connections.
   */
  async make(waiting: Waiting, flight: Flight<TenantLine>): Promise<{ stored: Promise<void> }> {
    const rest = await this.#attempt(waiting, flight);
    return { stored: rest() };
  }

  async #attempt({ leased, until }: Waiting, flight: Flight<TenantLine>): Promise<Rest> {
    if (performance.now() >= until) return () => this.putOff(leased.id, 0);
    const row = rowOf(leased);
    if (row.expired || row.notBefore || leased.isTooOld || !isComplete(leased)) return () => this.#end(row);
    const attempt: Attempt = { leased, row, until, flight };
    return leased.type === 'webpush' ? this.#sendToBrowser(attempt) : this.#sendByProvider(attempt);
  }

  async #sendByProvider(attempt: Attempt): Promise<Rest> {
    const { leased, row } = attempt;
    const provider = await this.#providers.choose(leased);
    // Without a provider a message waits; but what a gate refuses, or nobody is there to get, ends.
    if (provider === 'none') return () => this.#end({ ...row, notBefore: new Date(Date.now() + NO_PROVIDER_MS) });
    if (provider === 'trial') return () => this.putOff(row.id, TRIAL_WAIT_MS);
    if (provider === 'wait') return () => this.putOff(row.id, WAIT_MS);
    try {
      // Asked another way, the provider may take it for a new message, and send it twice.
      if (leased.boundTo !== null && leased.boundTo !== askedAs(provider.row.config))
        return () => this.#end({ ...row, failure: 'no_reply' });
      // What could not be sent is not rendered; and what cannot be rendered takes nothing of the rate.
      const { rateWait } = provider;
      if (rateWait > 0) return () => this.putOff(row.id, rateWait);
      const rendered = await this.#render(attempt, provider.row);
      if (rendered === 'late') return () => this.putOff(row.id, 0);
      if (rendered.failure) return () => this.#end({ ...row, failure: rendered.failure! });
      const wait = await provider.take();
      if (wait > 0) return () => this.putOff(row.id, wait);
      const request = requestOf(leased, rendered, provider.row, provider.credentials);
      const token = rendered.push && { reportToken: pushToken(this.#deps.links, leased.tenantId, leased.id) };
      return await this.#send(attempt, rendered, { ...request, ...token }, provider);
    } finally {
      provider.free();
    }
  }

  /** Push services are many, and each answer concerns one subscription: nothing is counted against them. */
  async #sendToBrowser(attempt: Attempt): Promise<Rest> {
    const { leased, row } = attempt;
    const site = await this.#sites.get(leased.tenantId, leased.device!.siteId);
    // Only its own site can send to a subscription.
    if (site === 'none') return () => this.#end({ ...row, failure: 'gone' });
    const rendered = await this.#render(attempt, null);
    if (rendered === 'late') return () => this.putOff(row.id, 0);
    if (rendered.failure) return () => this.#end({ ...row, failure: rendered.failure! });
    const { links, env } = this.#deps;
    const token = pushToken(links, leased.tenantId, leased.id);
    const webpush = { site, token, hosts: pushHostsOf(env) };
    return this.#send(attempt, rendered, { ...requestOf(leased, rendered, null, {}), webpush }, null);
  }

  /** Its time on the connection begins now: waiting for the templates of others does not make a tenant slow. */
  async #render(
    { leased, until, flight }: Attempt,
    provider: Pick<ChannelProvider, 'type' | 'config'> | null,
  ): Promise<Rendered | 'late'> {
    if (this.#isStopping) return 'late';
    // One for each send: a promise that lasts as long as the process would keep what it was raced with.
    const { promise: givenUp, resolve } = Promise.withResolvers<'late'>();
    const giveUp = (): void => resolve('late');
    this.#rendering.add(giveUp);
    const rendered = await Promise.race([this.#renders.render(leased, provider, until), givenUp]).finally(() =>
      this.#rendering.delete(giveUp),
    );
    flight.since = performance.now();
    if (flight.line.rendersSlowly) flight.line.trust = 'slow';
    return rendered;
  }

  /** What cannot be sent ends as the gates and its failure say. */
  async #end(row: PreparedSend): Promise<void> {
    const started = await this.#ledger.start(row);
    if (started === null) return this.#notOurs(row);
    if (started.status === 'UNCERTAIN') return this.#settleUncertain(row, started.call);
    if (started.status === 'REFUSED') return this.putOff(row.id, REFUSED_MS);
    this.#count(started.status);
  }

  /** The lease is gone; or the send was locked for a moment, and must not stay under its lease. */
  #notOurs(row: PreparedSend): Promise<void> {
    return this.putOff(row.id, WAIT_MS);
  }

  /** Sends it, and notes what this says of the provider (null for Web Push) and how long it took. */
  async #send(attempt: Attempt, rendered: Rendered, send: SendToPrepare, provider: Provider | null): Promise<Rest> {
    const { flight } = attempt;
    const row: PreparedSend = {
      ...attempt.row,
      ...rendered.noted,
      providerId: provider?.row.id ?? null,
      isSendable: true,
    };
    provider?.breaker.used();
    let heard: Heard | undefined;
    try {
      heard = await this.#exchange({ ...attempt, row }, send, provider);
    } finally {
      if (heard?.outcome) provider?.judge(heard.outcome);
      else provider?.breaker.unused();
      const isSlow = performance.now() - flight.since >= SLOW_MS || flight.line.rendersSlowly;
      flight.line.trust = isSlow ? 'slow' : 'trusted';
    }
    return heard.rest;
  }

  async #exchange(attempt: Attempt, send: SendToPrepare, provider: Provider | null): Promise<Heard> {
    const { leased, row, until } = attempt;
    const { outbound } = this.#deps;
    const type = provider?.row.type ?? 'webpush';
    const call = await prepareRequest(type, send, { outbound, apiUrl: this.#apiUrl });
    if ('failed' in call) {
      const { result, reason } = call.failed;
      if (result !== 'FAILED') return this.#notStarted(attempt, provider, call.failed);
      return { rest: () => this.#end({ ...row, failure: reason ?? 'rejected', isSendable: false }) };
    }
    let asking: Promise<Start> | undefined;
    const answer = await outbound
      .send({
        owner: leased.tenantId,
        method: 'POST',
        ...call,
        headers: { 'user-agent': 'Perennial', ...call.headers },
        places: 'none',
        limits: { connectMs: CONNECT_MS, totalMs: ANSWER_MS },
        release: async () => {
          if (performance.now() >= until || this.#isStopping) return false;
          // The lease begins with the statement that grants it, so not before this.
          const sendUntil = performance.now() + SENDING_LEASE_SECONDS * 1000 - MARGIN_MS;
          // The hours may have ended since it was leased.
          const { expired = false, notBefore } = rowOf(leased);
          asking = this.#ledger.start({ ...row, expired, ...(notBefore ? { notBefore } : {}) });
          const started = await asking;
          return started?.status === 'SENDING' && performance.now() < sendUntil;
        },
      })
      .catch((error: unknown) => error as Error);
    const judged = judgeAnswer(type, send, answer, { outbound });
    const isSeen = answer instanceof Error ? outboundError(answer).released : answer.released;
    if (!asking) return this.#notStarted(attempt, provider, judged);
    const outcome = isSeen ? judged : unseen(judged);
    // The request may have failed while the start was on its way: then it is settled as not sent.
    const started = await asking;
    if (started === null) return { rest: () => this.#notOurs(row) };
    if (started.status === 'UNCERTAIN') return { rest: () => this.#settleUncertain(row, started.call) };
    if (started.status === 'REFUSED') return { rest: () => this.putOff(row.id, REFUSED_MS) };
    if (started.status !== 'SENDING') return { rest: () => Promise.resolve(this.#count(started.status)) };
    return { outcome, rest: () => this.#settle({ leased, row, provider }, started.attempt, outcome) };
  }

  /** The provider could not be reached, or answered before it had the message: another one may take it at once. */
  #notStarted({ leased, row }: Attempt, provider: Provider | null, given: CallOutcome): Heard {
    // The address of a subscription alone says that it is gone.
    if (given.isGone && leased.device) {
      const { tenantId, device } = leased;
      return {
        rest: async () => {
          await markGone(engineEm(this.#deps.orm), { tenantId, id: device.id });
          await this.#end({ ...row, failure: 'gone', isSendable: false });
        },
      };
    }
    const outcome = unseen(given);
    if (leased.isTest)
      return { outcome, rest: () => this.#end({ ...row, failure: `not_sent: ${given.reply}`, isSendable: false }) };
    // There is no other push service for a browser.
    const wait = Math.max(provider ? WAIT_MS : UNREACHED_MS, (given.retryAfter ?? 0) * 1000);
    // Of a provider, its health shows this.
    if (provider || given.reason !== 'outbound_refused') return { outcome, rest: () => this.putOff(row.id, wait) };
    const longer = Math.max(wait, backoffSeconds(leased.attempt + 1) * 1000);
    return { outcome, rest: () => this.putOff(row.id, longer, given.reply) };
  }

  async #settle(
    { leased, row, provider }: Pick<Attempt, 'leased' | 'row'> & { provider: Provider | null },
    attempt: number,
    given: CallOutcome,
  ): Promise<void> {
    const outcome = leased.isTest ? ofTest(given) : given;
    const { fault } = outcome;
    const boundTo = outcome.isRepeatable && provider ? askedAs(provider.row.config) : null;
    // The provider knows the message by its key, so asking again sends nothing twice.
    const result = boundTo !== null ? 'QUEUED' : outcome.result;
    const pause = backoffSeconds(attempt);
    // Another provider may take what this one refused, and its breaker says when it is asked again: a message that came
    // back just then would be the one to try it each time. A push service has neither.
    const again =
      fault === 'refused' && row.providerId !== null
        ? WAIT_MS / 1000
        : Math.max(outcome.retryAfter ?? 0, fault ? Math.min(pause, LONGEST_FAULT_SECONDS) : pause);
    this.#count(result);
    await this.#ledger.settle({
      ...{ id: row.id, tenantId: row.tenantId, messageId: row.messageId, attempt },
      providerId: row.providerId,
      wasTried: true,
      result,
      reason: result === 'UNKNOWN' ? 'no_reply' : outcome.reason,
      providerMessageId: outcome.providerMessageId,
      reply: outcome.reply,
      suppress: outcome.suppress,
      isGone: outcome.isGone,
      hasNotice: leased.optOutText !== null,
      ...(boundTo === null ? {} : { boundTo }),
      ...(result === 'QUEUED' ? { delaySeconds: again } : {}),
    });
    if (result === 'QUEUED') this.#wakeIn(again * 1000);
  }

  /** It was surely not sent, but its start may have been committed: takes that back. */
  async #settleUncertain(row: PreparedSend, call: string): Promise<void> {
    await this.#ledger.settle({
      ...{ id: row.id, tenantId: row.tenantId, messageId: row.messageId, attempt: 0, start: call },
      ...{ providerId: null, wasTried: false, result: 'QUEUED', reason: null, providerMessageId: null, reply: null },
      delaySeconds: LATE_COMMIT_SECONDS,
    });
  }

  /** Ends the lease of a send. `refusal`: why its host may not be called. */
  putOff(id: number, delayMs: number, refusal?: string): Promise<void> {
    this.#wakeIn(delayMs);
    return new Promise((done) =>
      this.#putOffs.add({ id, delayMs, ...(refusal === undefined ? {} : { refusal }), done }),
    );
  }

  #count(status: string): void {
    this.#deps.metrics.messages.inc({ outcome: status.toLowerCase() });
  }
}

const backoffSeconds = (attempts: number): number => backoff(attempts, FIRST_RETRY_SECONDS, LONGEST_RETRY_SECONDS);

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
