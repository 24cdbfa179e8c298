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
import { Filler, type Ready } from './filler.ts';
import { HealthReports } from './health.ts';
import { Leases, SENDING_LEASE_SECONDS } from './leases.ts';
import { settlementOf } from './outcomes.ts';
import { Providers, type Provider } from './providers.ts';
import { Settler } from './settler.ts';
import type { Outcome } from './smtp-outcome.ts';
import type { SmtpSlot } from './smtp-pool.ts';
import type { Envelope } from './smtp-transaction.ts';
import { Wake } from '../../events/wake.ts';

const POLL_MS = 500;
/**
 * Messages finish in bursts: those that finish within this time are settled, and their successors started, together.
 */
const GATHER_MS = 2;
/** Two turns overlap: while one waits for Postgres, the connections of the other send. */
const TURNS_AT_ONCE = 2;
/**
 * A message is sent, up to its final dot, before its start is committed only after so many successful starts in a row:
 * an email that is then not started costs a connection, and refused starts (a cap, a pause) seldom come alone.
 */
const AHEAD_AFTER = 100;
const STOP_MS = 20_000;
/** The delay before a taken-back email may be leased again: a transaction whose connection broke may still commit. */
const LATE_COMMIT_SECONDS = 3;

/** A rendered email and the open connection that it will go over. */
interface OnSlot {
  ready: Ready;
  provider: Provider;
  slot: SmtpSlot;
}

/** A transaction that settles sent emails and starts the next ones, which already have connections. */
interface Turn {
  /** The attempt number of each email that was started, by email id; empty if the turn failed. */
  attempts: Promise<Map<number, number>>;
  /** Resolves when the turn's transaction and everything that follows from it are settled. */
  over: Promise<void>;
  /** Whether messages are sent, up to their final dots, before their start is committed. */
  ahead: boolean;
  /** When the lease on the emails that it starts ends, as a time of performance.now(). */
  until: number;
}

/** An accepted message and its connection. No other final dot is sent over it before this message is settled. */
interface Sent {
  settlement: Settlement;
  provider: Provider;
  slot: SmtpSlot;
  /** The next email, whose envelope was pipelined with this message's final dot; null if there is none. */
  following: Ready | null;
}

const attemptsOf = (started: readonly StartedEmail[]): Map<number, number> =>
  new Map(started.filter(({ status }) => status === 'SENDING').map(({ id, attempt }) => [id, attempt]));

/**
 * Sends this process's emails: leases them, renders them, sets as many to SENDING as there are connections, sends and
 * settles. An accepted message is settled in the same transaction that starts the next email of its connection. While
 * that transaction runs, the next message is already sent over the connection, up to its final dot (unless starts were
 * refused lately). If the process dies, the state of an email decides what becomes of it:
 * - leased, rendered or transmitted without being started: still QUEUED; free again when the lease expires;
 * - SENDING committed, final dot not sent: the recovery makes it UNKNOWN (nobody can tell), at most one per connection;
 * - final dot sent, outcome not settled: UNKNOWN too, and never sent again automatically;
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
  readonly #free = new Wake(POLL_MS);
  readonly #loop: Promise<void>;
  readonly #working = new Set<Promise<void>>();
  /** The number of startEmails calls so far, to give each a unique name. */
  #calls = 0;
  #turns = 0;
  /** How many emails in a row were started successfully. */
  #startedInARow = 0;
  #stopping = false;
  /** Emails that have a connection but are not started yet. */
  #onSlots: OnSlot[] = [];
  #sent: Sent[] = [];

  constructor(deps: Deps) {
    this.#deps = deps;
    const { SMTP_URL, SEND_CONNECTIONS, SEND_CONNECTIONS_PER_DOMAIN } = deps.env;
    this.#providers = new Providers(readProviders(SMTP_URL), {
      connections: SEND_CONNECTIONS,
      log: deps.log,
      onRoom: () => this.#free.now(),
      takeRate: ({ provider, ratePerMinute }, count) =>
        takeRate(engineEm(deps.orm), { provider, ratePerMinute: ratePerMinute! }, count),
    });
    this.#health = new HealthReports(deps, this.#holder, this.#providers.all);
    this.#domains = new Domains(SEND_CONNECTIONS_PER_DOMAIN);
    this.#leases = new Leases(deps, this.#holder);
    this.#settler = new Settler(deps);
    this.#filler = new Filler(deps, {
      holder: this.#holder,
      domains: this.#domains,
      onReady: () => this.#free.now(),
      mayLease: () => this.#providers.choose() !== null,
    });
    this.#loop = this.#run();
  }

  /** Call when there may be emails to send in these lanes. */
  wake(lanes: readonly EmailLane[]): void {
    this.#filler.wake(lanes);
  }

  /**
   * Starts no more emails, returns leases, and waits until the messages in flight are sent and settled. The wait is
   * bounded, because a silent provider may take minutes; messages that are cut off end as after a kill.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#free.now();
    await Promise.all([this.#loop, this.#filler.stop()]);
    const giveUp = performance.now() + STOP_MS;
    while (this.#working.size > 0 && performance.now() < giveUp)
      await Promise.race([Promise.all(this.#working), delay(100)]);
    void this.#providers.close();
    if (this.#working.size > 0) {
      this.#deps.log.warn(
        { emails: this.#working.size, unsettled: this.#settler.waiting },
        'stopped while sending: some emails will be UNKNOWN',
      );
    }
    this.#leases.stop();
    await this.#health.stop();
  }

  async #run(): Promise<void> {
    while (!this.#stopping) {
      this.#occupy();
      if (!this.#beginTurn()) await this.#free.wait();
      await delay(GATHER_MS);
    }
    // Stopping: no further turn will take these.
    for (const { ready, slot } of this.#onSlots.splice(0)) {
      slot.release();
      this.#track(this.#filler.putBack([ready]));
    }
    for (const sent of this.#sent.splice(0)) this.#track(this.#settleAlone(sent));
  }

  /** Assigns idle connections to rendered emails. */
  #occupy(): void {
    const chosen = this.#providers.choose();
    const batch = chosen ? this.#filler.take(chosen.room) : [];
    if (batch.length > 0) this.#track(this.#open(chosen!.provider, batch));
  }

  /** Opens connections before starting emails, so that SENDING means "on a connection". */
  async #open(provider: Provider, batch: Ready[]): Promise<void> {
    provider.starts += 1;
    const slots = await this.#providers.acquire(provider, batch.length);
    provider.starts -= 1;
    const on = this.#stopping ? [] : batch.splice(0, slots.length);
    for (const slot of slots.splice(on.length)) slot.release();
    this.#onSlots.push(...on.map((ready, index) => ({ ready, provider, slot: slots[index]! })));
    await this.#filler.putBack(batch);
    this.#free.now();
  }

  /** Begins a turn. Returns false if there is nothing to do, or TURNS_AT_ONCE turns are running. */
  #beginTurn(): boolean {
    if (this.#turns >= TURNS_AT_ONCE) return false;
    const sent = this.#sent.splice(0);
    const next = this.#onSlots.splice(0);
    const over: Sent[] = [];
    const goesOn = this.#providers.reusableProvider();
    for (const one of sent) {
      const ready = one.provider === goesOn ? this.#nextOver(one) : null;
      if (ready) next.push({ ready, provider: one.provider, slot: one.slot });
      else over.push(one);
      if (one.following && one.following !== ready) this.#putBackLate(one.following);
    }
    const ending = this.#filler.takeUnsendable();
    if (sent.length + next.length + ending.length === 0) return false;
    this.#track(this.#turn(sent, next, over, ending));
    return true;
  }

  async #turn(sent: Sent[], next: OnSlot[], over: Sent[], ending: Ready[]): Promise<void> {
    this.#turns += 1;
    const until = Leases.end(performance.now(), SENDING_LEASE_SECONDS);
    const name = `${this.#holder}/${(this.#calls += 1)}`;
    const emails = [
      ...next.map(({ ready, provider }) => ({ rendered: ready.row, provider: provider.setting.provider })),
      ...ending.map(({ row }) => ({ rendered: row, provider: null })),
    ];
    const attempts = Promise.withResolvers<Map<number, number>>();
    const end = Promise.withResolvers<void>();
    const ahead = this.#startedInARow >= AHEAD_AFTER;
    for (const on of next) this.#track(this.#send(on, { attempts: attempts.promise, over: end.promise, ahead, until }));
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
    const toSend = attemptsOf(started ?? []);
    this.#startedInARow = toSend.size < next.length ? 0 : this.#startedInARow + next.length;
    attempts.resolve(toSend);
    if (started) {
      for (const { settlement } of sent) this.#leases.drop(settlement.id);
      this.#deps.pingOutbox('outbox_events');
      for (const { slot } of over) slot.release();
      for (const { status } of started)
        if (status !== 'SENDING') this.#deps.metrics.emails.inc({ outcome: status.toLowerCase() });
    } else {
      const taken = new Set(next.map(({ slot }) => slot));
      await Promise.all([
        ...sent.map(async (one) => {
          await this.#settler.settle(one.settlement);
          this.#leases.drop(one.settlement.id);
          if (!taken.has(one.slot)) one.slot.release();
        }),
        this.#takeBack(
          emails.map(({ rendered }) => rendered),
          name,
        ),
        delay(POLL_MS),
      ]);
    }
    end.resolve();
    this.#turns -= 1;
    this.#free.now();
  }

  /**
   * Called after a start whose result is unknown: even if it was or will be committed, its emails were surely not sent.
   * Makes them free for a new lease. Their connections carry nothing else until that is settled, as after a message.
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
   * Sends one email, but its final dot only once the turn has started it. The connection carries no other final dot
   * until this email is settled, so a kill leaves at most one email per connection in doubt.
   */
  async #send({ ready: { row, composed, domain }, provider, slot }: OnSlot, turn: Turn): Promise<void> {
    const { id, tenantId } = row;
    const begun = performance.now();
    const started = turn.attempts.then((attempts) => {
      const attempt = attempts.get(id);
      // Delete: one start allows one message, even if the email is here twice (leased again after a suspend).
      if (attempts.delete(id)) this.#leases.hold(id, turn.until);
      return attempt;
    });
    const giveUp = async (): Promise<void> => {
      this.#domains.leave(domain);
      await turn.over;
      slot.release();
      this.#free.now();
    };
    if (!turn.ahead && (await started) === undefined) {
      provider.breaker.unused();
      return giveUp();
    }
    let released = false;
    let next: Ready | null = null;
    const beforeDot = async (): Promise<boolean> =>
      (released = (await started) !== undefined && this.#leases.holds(id));
    const following = (): Envelope | null => (next = this.#takeFollowing(provider))?.composed!.envelope ?? null;
    const outcome = await slot
      .send(composed!.envelope, composed!.message, { beforeDot, following })
      .catch((error: unknown): Outcome => {
        const message = error instanceof Error ? error.message : String(error);
        this.#deps.log.error({ err: error, emailId: id }, 'the SMTP connection failed unexpectedly');
        return released
          ? { kind: 'unknown', error: message, provider: '' }
          : { kind: 'retry', reply: null, error: message, providerFault: true, provider: '' };
      });
    this.#providers.report(provider, outcome);
    const attempt = await started;
    if (attempt === undefined) return giveUp();
    this.#domains.leave(domain, performance.now() - begun);
    this.#deps.metrics.emails.inc({ outcome: outcome.kind });
    const one: Sent = { settlement: settlementOf({ id, tenantId, attempt }, outcome), provider, slot, following: next };
    if (outcome.kind !== 'sent' || this.#stopping) return this.#settleAlone(one);
    this.#sent.push(one);
    this.#free.now();
  }

  /**
   * The email whose envelope is pipelined with the final dot of the one before. Null unless messages are sent ahead;
   * null with a limit per domain, because the connection would count for two emails.
   */
  #takeFollowing(provider: Provider): Ready | null {
    if (
      this.#stopping ||
      this.#startedInARow < AHEAD_AFTER ||
      this.#domains.limit > 0 ||
      this.#providers.reusableProvider() !== provider
    )
      return null;
    return this.#filler.take(1)[0] ?? null;
  }

  /**
   * The next email for a connection. If its envelope was pipelined already, it stays the next even if the connection
   * has ended: on a new connection the server repeats its reply, in case this email was the reason.
   */
  #nextOver({ slot, following }: Sent): Ready | null {
    if (following) return performance.now() < following.until ? following : null;
    return slot.usable ? (this.#filler.take(1)[0] ?? null) : null;
  }

  /** Requeues an email whose envelope was pipelined although it cannot be sent now; this costs the connection. */
  #putBackLate(following: Ready): void {
    this.#startedInARow = 0;
    this.#track(this.#filler.putBack([following]));
  }

  /**
   * Settles a message outside of a turn: one that was not accepted (it has more effects), or the last ones before a
   * stop. If its dot was refused, an email whose envelope was pipelined with it is then sent over the same connection.
   */
  async #settleAlone({ settlement, provider, slot, following }: Sent): Promise<void> {
    await this.#settler.settle(settlement);
    this.#leases.drop(settlement.id);
    if (
      following &&
      !this.#stopping &&
      slot.usable &&
      provider === this.#providers.reusableProvider() &&
      performance.now() < following.until
    ) {
      this.#onSlots.push({ ready: following, provider, slot });
    } else {
      slot.release();
      if (following) this.#putBackLate(following);
    }
    this.#free.now();
  }

  #track(work: Promise<void>): void {
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }
}
