import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../../runtime/deps.ts';
import { readProviders } from '../../config/smtp-url.ts';
import type { EmailLane } from '../../db/entities/emails.ts';
import { engineEm } from '../../db/orm.ts';
import { takeRate } from '../../domain/emails/providers/take-rate.ts';
import type { Settlement } from '../../domain/emails/ledger/settle-emails.ts';
import { startEmails, type RenderedRow, type StartedEmail } from '../../domain/emails/ledger/start-emails.ts';
import { Domains } from './domains.ts';
import { Filler, LEASE_POLL_MS, type Ready } from './filler.ts';
import { HealthReports, reportOf } from './health.ts';
import { InDoubt } from './in-doubt.ts';
import { Leases, SENDING_LEASE_SECONDS } from './leases.ts';
import { settlementOf } from './outcomes.ts';
import { Refusals } from './refusals.ts';
import { Providers, type Choice, type Provider } from './providers.ts';
import { Settler } from './settler.ts';
import type { Outcome } from './smtp-outcome.ts';
import type { SmtpSlot } from './smtp-pool.ts';
import type { Envelope } from './smtp-transaction.ts';
import { Wake } from '../../lib/async/wake.ts';

const POLL_MS = 500;
/**
 * Messages finish in bursts: those that finish within this time are settled, and their successors started, together.
 */
const GATHER_MS = 4;
/** An email that waits longer for a connection is put back, so that a pause, an unsubscribe or a stop concern it. */
const LONGEST_WAIT_MS = 1_000;
/**
 * Emails of all lanes are leased so long before a provider that rests is tried again. Otherwise the first lane to be
 * leased would always have the message that tries it, and one that is refused each time would hold up all others.
 */
const LEASE_AHEAD_MS = 2 * LEASE_POLL_MS;
const STOP_MS = 20_000;
/** What was not released by then is settled as not sent, within this time. */
const CUT_OFF_MS = 4_000;
/** The delay before a taken-back email may be leased again: a transaction whose connection broke may still commit. */
const LATE_COMMIT_SECONDS = 3;

/** A connection without work for this long goes back to the pool. */
const IDLE_MS = 500;

/** An email that is SENDING and waits for a connection. */
interface Started {
  ready: Ready;
  attempt: number;
  at: number;
}

/** An accepted email that the next turn settles. */
interface Sent {
  settlement: Settlement;
  provider: Provider;
}

/** A connection that waits for an email. */
interface Idle {
  slot: SmtpSlot;
  since: number;
  give: (next: Started | null) => void;
}

/** The emails and connections of a provider. */
interface ProviderState {
  /** Started emails that wait for a connection, in order. */
  waiting: Started[];
  idle: Idle[];
  /** Connections that have an email. */
  sending: number;
  inDoubt: InDoubt;
}

/**
 * Sends this process's emails: leases them, renders them, starts them (sets them to SENDING), sends and settles them.
 * A transaction, called a turn, settles the accepted emails and starts the next ones. At most SEND_IN_DOUBT emails are
 * between start and settlement; a connection sends one after the other. If the process dies, the state of an email
 * decides what becomes of it:
 * - leased or rendered: still QUEUED; free again when the lease expires;
 * - SENDING: the recovery makes it UNKNOWN (nobody can tell), and it is never sent again automatically;
 * - settled: nothing to do.
 * If a live process loses the reply of Postgres, it repeats what is idempotent (settling), and takes back what it
 * surely did not send (starting). So there is at most one dot per start, and an email is started again only after the
 * start before was settled as not sent.
 */
export class Sender {
  readonly #deps: Deps;
  /** Kept short, because it is written to every email twice. */
  readonly #holder = `sender-${randomBytes(9).toString('base64url')}`;
  readonly #filler: Filler;
  readonly #providers: Providers;
  readonly #health: HealthReports;
  readonly #domains: Domains;
  readonly #leases: Leases;
  readonly #settler: Settler;
  readonly #refusals: Refusals;
  readonly #free = new Wake(POLL_MS);
  readonly #loop: Promise<void>;
  readonly #working = new Set<Promise<void>>();
  /** For each email on a connection whose dot is not sent: makes sure that it never will be. */
  readonly #unreleased = new Set<() => void>();
  readonly #states: ReadonlyMap<Provider, ProviderState>;
  readonly #maxInDoubt: number;
  #sent: Sent[] = [];
  /** The number of startEmails calls so far, to give each a unique name. */
  #calls = 0;
  #isTurning = false;
  #stopping = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { SMTP_URL, SEND_CONNECTIONS, SEND_CONNECTIONS_PER_DOMAIN, SEND_IN_DOUBT } = deps.env;
    this.#providers = new Providers(readProviders(SMTP_URL), {
      connections: SEND_CONNECTIONS,
      log: deps.log,
      onRoom: () => this.#free.now(),
      takeRate: ({ provider, ratePerMinute }, count) =>
        takeRate(engineEm(deps.orm), { provider, ratePerMinute: ratePerMinute! }, count),
    });
    this.#states = new Map(
      this.#providers.all.map((provider) => [provider, { waiting: [], idle: [], sending: 0, inDoubt: new InDoubt() }]),
    );
    this.#maxInDoubt = SEND_IN_DOUBT;
    this.#health = new HealthReports(deps, this.#holder, () => this.#providers.all.map(reportOf));
    this.#domains = new Domains(SEND_CONNECTIONS_PER_DOMAIN);
    this.#leases = new Leases(deps, this.#holder);
    this.#settler = new Settler(deps);
    this.#refusals = new Refusals(deps);
    this.#filler = new Filler(deps, {
      holder: this.#holder,
      domains: this.#domains,
      onReady: () => this.#free.now(),
      mayLease: () => this.#providers.mayBeUsedWithin(LEASE_AHEAD_MS),
    });
    this.#loop = this.#run();
  }

  /** Call when there may be emails to send in these lanes. */
  wake(lanes: readonly EmailLane[]): void {
    this.#filler.wake(lanes);
  }

  /**
   * Starts no more emails, returns leases, puts back what has no connection, and waits until the messages in flight are
   * sent and settled. The wait is bounded, because a silent provider may take minutes; then those whose final dot was not
   * sent are put back too, and only the others end as after a kill.
   */
  async stop(waitMs = STOP_MS): Promise<void> {
    this.#stopping = true;
    this.#free.now();
    await Promise.all([this.#loop, this.#filler.stop()]);
    const giveUp = performance.now() + waitMs;
    while (this.#working.size > 0 && performance.now() < giveUp)
      await Promise.race([Promise.all(this.#working), delay(100)]);
    void this.#providers.close();
    if (this.#working.size > 0) await this.#cutOff();
    if (this.#working.size > 0) {
      this.#deps.log.warn(
        { emails: this.#countInDoubt(), unsettled: this.#settler.waiting },
        'stopped while sending: some emails will be UNKNOWN',
      );
    }
    this.#leases.stop();
    await this.#health.stop();
  }

  /** Settles as not sent what is on connections without its dot. */
  async #cutOff(): Promise<void> {
    for (const cut of this.#unreleased) cut();
    const giveUp = performance.now() + CUT_OFF_MS;
    do await delay(10);
    while (this.#settler.waiting > 0 && performance.now() < giveUp);
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#putBackLate();
      this.#connect();
      if (!this.#beginTurn()) await this.#free.wait();
      await delay(GATHER_MS);
    }
    // Stopping: no further turn will settle these.
    for (const one of this.#sent.splice(0)) this.#settleAlone(one);
    this.#putBackLate();
  }

  #stateOf(provider: Provider): ProviderState {
    return this.#states.get(provider)!;
  }

  #countInDoubt(): number {
    return [...this.#states.values()].reduce((sum, { inDoubt }) => sum + inDoubt.count, 0);
  }

  /** Acquires connections of the chosen provider for the emails that are ready or started. */
  #connect(): void {
    const provider = this.#providers.choose()?.provider;
    if (!provider) return;
    const { waiting, idle } = this.#stateOf(provider);
    const emails = waiting.length + this.#filler.sendable();
    const wanted = Math.min(emails - idle.length - provider.opening, this.#providers.room(provider));
    if (wanted > 0) this.#track(this.#open(provider, wanted));
  }

  /** Opens connections before emails are started, so that an unreachable provider costs no attempt. */
  async #open(provider: Provider, count: number): Promise<void> {
    provider.opening += count;
    const slots = await this.#providers.acquire(provider, count);
    provider.opening -= count;
    for (const slot of slots) this.#track(this.#sendOver(provider, slot));
    this.#free.now();
  }

  /**
   * Begins a turn. Returns false if there is nothing to do, or one is running: what comes meanwhile goes together into
   * the next, and the started emails keep the connections busy.
   */
  #beginTurn(): boolean {
    if (this.#isTurning) return false;
    const chosen = this.#providers.choose();
    const sent = this.#sent.splice(0);
    const next = chosen ? this.#filler.take(this.#roomFor(chosen)) : [];
    const ending = this.#filler.takeUnsendable();
    if (sent.length + next.length + ending.length === 0) return false;
    if (chosen) this.#stateOf(chosen.provider).inDoubt.count += next.length;
    this.#track(this.#turn(sent, chosen?.provider ?? null, next, ending));
    return true;
  }

  /** How many more emails may be started for the chosen provider. */
  #roomFor({ provider, connections }: Choice): number {
    if (connections === 0) return 0;
    const { idle, sending, inDoubt } = this.#stateOf(provider);
    const open = idle.length + sending;
    // A provider on trial gets one message.
    const useful = provider.breaker.health.state === 'trial' ? Math.min(open, 1) : inDoubt.useful(open);
    return Math.max(0, Math.min(useful - inDoubt.count, this.#maxInDoubt - this.#countInDoubt()));
  }

  async #turn(
    sent: readonly Sent[],
    provider: Provider | null,
    next: Ready[],
    ending: readonly Ready[],
  ): Promise<void> {
    this.#isTurning = true;
    const begun = performance.now();
    if (provider) await this.#keepToRate(provider, next);
    const until = Leases.end(performance.now(), SENDING_LEASE_SECONDS);
    const name = `${this.#holder}/${(this.#calls += 1)}`;
    const emails = [
      ...next.map(({ row }) => ({ rendered: row, provider: provider!.setting.provider })),
      ...ending.map(({ row }) => ({ rendered: row, provider: null })),
    ];
    const started = await startEmails((statements) => this.#deps.pipelined.once('engine', statements), {
      holder: this.#holder,
      name,
      leaseSeconds: SENDING_LEASE_SECONDS,
      emails,
      sent: sent.map(({ settlement }) => settlement),
    }).catch((error: unknown) => {
      this.#deps.log.warn({ err: error, emails: emails.length, sent: sent.length }, 'could not start or settle emails');
      return null;
    });
    if (started) {
      if (provider) this.#stateOf(provider).inDoubt.turnTook(performance.now() - begun);
      for (const one of sent) this.#settled(one);
      if (provider) this.#queue(provider, next, started, until);
      this.#deps.generation.sending(started.length);
      for (const { status } of started)
        if (status !== 'SENDING') this.#deps.metrics.emails.inc({ outcome: status.toLowerCase() });
      this.#deps.pingOutbox('outbox_events');
    } else {
      await Promise.all([
        ...sent.map(async (one) => {
          await this.#settler.settle(one.settlement);
          this.#settled(one);
        }),
        this.#takeBack(
          emails.map(({ rendered }) => rendered),
          name,
        ),
        delay(POLL_MS),
      ]);
      if (provider) for (const ready of next) this.#notStarted(provider, ready);
    }
    this.#isTurning = false;
    this.#free.now();
  }

  /** Puts back those of `next` that the provider's rate does not allow yet. */
  async #keepToRate(provider: Provider, next: Ready[]): Promise<void> {
    const granted = await this.#providers.grant(provider, next.length);
    const beyond = next.splice(granted);
    this.#stateOf(provider).inDoubt.count -= beyond.length;
    await this.#filler.putBack(beyond);
  }

  /** Hands the started ones of `next` to the provider's connections. */
  #queue(provider: Provider, next: readonly Ready[], started: readonly StartedEmail[], until: number): void {
    const attempts = new Map(
      started.filter(({ status }) => status === 'SENDING').map(({ id, attempt }) => [id, attempt]),
    );
    const { waiting, idle } = this.#stateOf(provider);
    const at = performance.now();
    for (const ready of next) {
      const { id } = ready.row;
      const attempt = attempts.get(id);
      // Delete: one start allows one message, even if the email is here twice (leased again after a suspend).
      attempts.delete(id);
      if (attempt === undefined) this.#notStarted(provider, ready);
      else {
        this.#leases.hold(id, until);
        waiting.push({ ready, attempt, at });
      }
    }
    if (this.#stopping) return this.#putBackLate();
    while (idle.length > 0 && waiting.length > 0) idle.shift()!.give(this.#next(provider));
  }

  #notStarted(provider: Provider, { domain }: Ready): void {
    this.#domains.leave(domain);
    this.#stateOf(provider).inDoubt.count -= 1;
  }

  /** Sends the provider's started emails one after the other over one connection. */
  async #sendOver(provider: Provider, slot: SmtpSlot): Promise<void> {
    let sent = 0;
    for (let next = await this.#nextOrWait(provider, slot); next; sent += 1) {
      const following: Started | null = await this.#send(next, provider, slot);
      if (following && !this.#mayUse(provider)) this.#requeue(provider, following);
      next = this.#mayUse(provider)
        ? (following ?? (slot.usable ? await this.#nextOrWait(provider, slot) : null))
        : null;
    }
    // The provider was not tried.
    if (sent === 0) provider.breaker.unused();
    slot.release();
    this.#free.now();
  }

  /** Whether the provider may be given another message. */
  #mayUse(provider: Provider): boolean {
    return !this.#stopping && this.#providers.mayGoOn(provider);
  }

  #next(provider: Provider): Started | null {
    return this.#mayUse(provider) ? (this.#stateOf(provider).waiting.shift() ?? null) : null;
  }

  /** The next email for a connection; null if there is none before the connection ends or has been idle for too long. */
  async #nextOrWait(provider: Provider, slot: SmtpSlot): Promise<Started | null> {
    const next = this.#next(provider);
    if (next || !this.#mayUse(provider)) return next;
    return new Promise((give) => this.#stateOf(provider).idle.push({ slot, since: performance.now(), give }));
  }

  /**
   * Sends one email. Its final dot is sent only while its lease holds. Returns the email whose envelope was pipelined
   * with the dot: it must be the next over this connection; if the connection has ended, it goes first on a new one, so
   * that the server repeats its reply in case this email was the reason.
   */
  async #send(
    { ready: { row, composed, domain }, attempt }: Started,
    provider: Provider,
    slot: SmtpSlot,
  ): Promise<Started | null> {
    const { id, tenantId } = row;
    const begun = performance.now();
    this.#stateOf(provider).sending += 1;
    let released = false;
    let next: Started | null = null;
    const { promise: wasCutOff, resolve } = Promise.withResolvers<Outcome>();
    const cut = (): void => {
      this.#leases.drop(id);
      resolve({ kind: 'not_released', provider: provider.setting.provider });
    };
    this.#unreleased.add(cut);
    const beforeDot = async (): Promise<boolean> => {
      released = this.#leases.holds(id);
      if (released) this.#unreleased.delete(cut);
      return released;
    };
    const following = (): Envelope | null => (next = this.#next(provider))?.ready.composed!.envelope ?? null;
    const sending = slot
      .send(composed!.envelope, composed!.message, { beforeDot, following })
      .catch((error: unknown): Outcome => {
        const message = error instanceof Error ? error.message : String(error);
        this.#deps.log.error({ err: error, emailId: id }, 'the SMTP connection failed unexpectedly');
        return released
          ? { kind: 'unknown', error: message, provider: '' }
          : { kind: 'retry', reply: null, error: message, blames: 'provider', provider: '' };
      });
    const outcome = await Promise.race([sending, wasCutOff]);
    this.#unreleased.delete(cut);
    this.#stateOf(provider).sending -= 1;
    const took = performance.now() - begun;
    this.#providers.report(provider, outcome);
    if (outcome.kind === 'sent') this.#refusals.accepted(row);
    else this.#track(this.#refusals.note(row, provider, outcome));
    this.#domains.leave(domain, took);
    this.#deps.metrics.emails.inc({ outcome: outcome.kind });
    const one: Sent = { settlement: settlementOf({ id, tenantId, attempt }, outcome), provider };
    if (outcome.kind === 'sent' && !this.#stopping) {
      this.#stateOf(provider).inDoubt.sendTook(took);
      this.#sent.push(one);
      this.#free.now();
    } else this.#settleAlone(one);
    return next;
  }

  /**
   * Requeues the emails that have waited too long for a connection, and all of a provider that may not be used; gives
   * back the connections that were closed or have been idle for too long.
   */
  #putBackLate(): void {
    const now = performance.now();
    for (const [provider, state] of this.#states) {
      const isRefused = this.#stopping || provider.breaker.allowed(provider.size) === null;
      const late = state.waiting.filter(({ at }) => isRefused || now - at > LONGEST_WAIT_MS);
      if (late.length > 0) state.waiting = state.waiting.filter((started) => !late.includes(started));
      for (const started of late) {
        // Fewer are started from now on: the provider has become slow.
        if (!isRefused) state.inDoubt.sendTook(now - started.at);
        this.#requeue(provider, started);
      }
      const idle = state.idle.filter(({ slot, since }) => isRefused || !slot.usable || now - since > IDLE_MS);
      if (idle.length > 0) state.idle = state.idle.filter((one) => !idle.includes(one));
      for (const { give } of idle) give(null);
    }
  }

  /** Requeues an email that was started and surely not sent. */
  #requeue(provider: Provider, { ready: { row, domain }, attempt }: Started): void {
    this.#domains.leave(domain);
    const { id, tenantId } = row;
    this.#settleAlone({
      settlement: { id, tenantId, attempt, provider: null, result: 'QUEUED', reply: null, delaySeconds: 0 },
      provider,
    });
  }

  /**
   * Called after a start whose result is unknown: even if it was or will be committed, its emails were surely not sent.
   * Makes them free for a new lease.
   */
  async #takeBack(all: readonly RenderedRow[], start: string): Promise<void> {
    await Promise.all(
      all.map(({ id, tenantId, attempt }) =>
        this.#settler.settle({
          id,
          tenantId,
          attempt: attempt + 1,
          start,
          provider: null,
          result: 'QUEUED',
          reply: null,
          delaySeconds: LATE_COMMIT_SECONDS,
        }),
      ),
    );
  }

  /**
   * Settles an attempt outside of a turn: one that was not accepted (it has more effects), or the last ones before a
   * stop.
   */
  #settleAlone(one: Sent): void {
    this.#track(
      this.#settler.settle(one.settlement).then(() => {
        this.#settled(one);
        this.#free.now();
      }),
    );
  }

  #settled({ settlement: { id }, provider }: Sent): void {
    this.#leases.drop(id);
    this.#stateOf(provider).inDoubt.count -= 1;
  }

  #track(work: Promise<void>): void {
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }
}
