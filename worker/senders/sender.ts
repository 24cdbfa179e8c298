import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deps } from '../../config/deps.ts';
import { readProviders } from '../../config/smtp-url.ts';
import { engineEm } from '../../db/orm.ts';
import { takeRate } from '../../domain/emails/providers/take-rate.ts';
import { startEmails, type StartedEmail } from '../../domain/emails/start-emails.ts';
import { Domains } from './domains.ts';
import { Filler, type Ready } from './filler.ts';
import { HealthReports } from './health.ts';
import { Leases, SENDING_LEASE_SECONDS } from './leases.ts';
import { settlementOf } from './outcomes.ts';
import { Providers, type Provider } from './providers.ts';
import { Settler } from './settler.ts';
import type { Outcome } from './smtp-outcome.ts';
import type { SmtpSlot } from './smtp-pool.ts';
import { Wake } from '../../events/wake.ts';

const POLL_MS = 500;
/** Connections become idle in bursts; what can start within this starts together. */
const GATHER_MS = 5;
const STOP_MS = 20_000;

/**
 * One process's senders: leases emails, renders them, takes as many to SENDING as there are idle connections, sends, and
 * settles. Where the process can die, and what then becomes of an email:
 * - leased or rendered: still QUEUED, free again when the lease ends;
 * - SENDING committed, the dot not sent: the sweeper makes it UNKNOWN (nobody can know), at most one per connection;
 * - the dot sent, the outcome not settled: UNKNOWN too, and never sent again by itself;
 * - settled: done.
 * A live process whose answer from Postgres was lost repeats what can be repeated (settling), and takes back what it
 * surely did not send (starting). So there is at most one dot per start, and a start only after the one before it was
 * settled as not sent.
 */
export class Sender {
  readonly #deps: Deps;
  readonly #holder = `sender-${randomUUID()}`;
  readonly #filler: Filler;
  readonly #providers: Providers;
  readonly #health: HealthReports;
  readonly #domains: Domains;
  readonly #leases: Leases;
  readonly #settler: Settler;
  readonly #free = new Wake(POLL_MS);
  readonly #loop: Promise<void>;
  readonly #working = new Set<Promise<void>>();
  /** How often emails were started, to name each start. */
  #calls = 0;
  #stopping = false;

  constructor(deps: Deps) {
    this.#deps = deps;
    const { SMTP_URL, SEND_CONNECTIONS, SEND_CONNECTIONS_PER_DOMAIN } = deps.env;
    this.#providers = new Providers(readProviders(SMTP_URL), {
      connections: SEND_CONNECTIONS, log: deps.log, onRoom: () => this.#free.now(),
      takeRate: ({ provider, ratePerMinute }, count) => takeRate(engineEm(deps.orm), { provider, ratePerMinute: ratePerMinute! }, count),
    });
    this.#health = new HealthReports(deps, this.#holder, this.#providers.all);
    this.#domains = new Domains(SEND_CONNECTIONS_PER_DOMAIN);
    this.#leases = new Leases(deps, this.#holder);
    this.#settler = new Settler(deps);
    this.#filler = new Filler(deps, {
      holder: this.#holder, domains: this.#domains, onReady: () => this.#free.now(), mayLease: () => this.#providers.choose() !== null,
    });
    this.#loop = this.#run();
  }

  /** There may be something to send. */
  wake(): void {
    this.#filler.wake();
  }

  /**
   * Starts nothing more, gives leases back, waits for what is on connections and until it is settled; bounded, because a
   * silent provider may take minutes. What is cut off then is as after a kill.
   */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#free.now();
    await Promise.all([this.#loop, this.#filler.stop()]);
    const giveUp = performance.now() + STOP_MS;
    while (this.#working.size > 0 && performance.now() < giveUp) await Promise.race([Promise.all(this.#working), delay(100)]);
    void this.#providers.close();
    if (this.#working.size > 0) {
      this.#deps.log.warn({ emails: this.#working.size, unsettled: this.#settler.waiting }, 'stopped with emails that will be UNKNOWN');
    }
    this.#leases.stop();
    await this.#health.stop();
  }

  /** Takes rendered emails onto connections as these become idle. */
  async #run(): Promise<void> {
    while (!this.#stopping) {
      const chosen = this.#providers.choose();
      const batch = chosen ? this.#filler.take(chosen.room) : [];
      const ending = this.#filler.takeEnding();
      if (batch.length > 0) this.#track(this.#startOn(chosen!.provider, batch));
      if (ending.length > 0) this.#track(this.#start(ending).then(() => this.#free.now()));
      if (batch.length + ending.length === 0) await this.#free.wait();
      await delay(GATHER_MS);
    }
  }

  /** Opens connections first, so that SENDING means "on a connection", then starts as many emails. */
  async #startOn(provider: Provider, batch: Ready[]): Promise<void> {
    provider.starts += 1;
    const slots = await this.#providers.acquire(provider, batch.length);
    const on = this.#stopping ? [] : batch.splice(0, slots.length);
    await this.#filler.putBack(batch);
    const until = Leases.end(performance.now(), SENDING_LEASE_SECONDS);
    const attempts = new Map((await this.#start(on, provider.pool.provider)).filter(({ status }) => status === 'SENDING').map(({ id, attempt }) => [id, attempt]));
    if (attempts.size === 0) provider.breaker.unused();
    for (const [index, slot] of slots.entries()) {
      const ready = on[index];
      const attempt = ready && attempts.get(ready.row.id);
      if (!ready || attempt === undefined) {
        if (ready) this.#domains.leave(ready.domain);
        slot.release();
        continue;
      }
      // One start is one message, also where a machine slept, its clock with it, and leased an email that it had ready.
      attempts.delete(ready.row.id);
      this.#track(this.#send(provider, slot, ready, attempt, until));
    }
    provider.starts -= 1;
    this.#free.now();
  }

  /** What became of these at their start; nothing when that can not be told, and then none of them is sent. */
  async #start(batch: readonly Ready[], provider: string | null = null): Promise<StartedEmail[]> {
    if (batch.length === 0) return [];
    const start = `${this.#holder}/${(this.#calls += 1)}`;
    try {
      const started = await startEmails(engineEm(this.#deps.orm), this.#holder, SENDING_LEASE_SECONDS, batch.map(({ row }) => row), provider, start);
      for (const { status } of started) if (status !== 'SENDING') this.#deps.metrics.emails.inc({ outcome: status.toLowerCase() });
      return started;
    } catch (error) {
      this.#deps.log.warn({ err: error, emails: batch.length }, 'emails not started');
      await Promise.all([this.#takeBack(batch, start), delay(POLL_MS)]);
      return [];
    }
  }

  /**
   * After a start whose answer was lost: if it was committed nevertheless, its emails were surely not sent. Their
   * connections take no others before that is settled, as after a message.
   */
  async #takeBack(all: readonly Ready[], start: string): Promise<void> {
    await Promise.all(all.map(({ row: { id, tenantId, attempt } }) => (
      this.#settler.settle({ id, tenantId, attempt: attempt + 1, start, provider: null, result: 'QUEUED', reply: null }))));
  }

  /** Sends one email. Its connection takes no other before it is settled, so a kill leaves no more in doubt than there are connections. */
  async #send(provider: Provider, slot: SmtpSlot, { row, composed, domain }: Ready, attempt: number, until: number): Promise<void> {
    const { id, tenantId } = row;
    const begun = performance.now();
    this.#leases.hold(id, until);
    let released = false;
    let settled: Promise<void> | null = null;
    const settle = (outcome: Outcome): Promise<void> => (settled ??= this.#conclude(provider, { id, tenantId, attempt }, outcome));
    const beforeDot = async (): Promise<boolean> => (released = this.#leases.holds(id));
    try {
      await settle(await slot.send(composed!.envelope, composed!.message, { beforeDot, concluded: settle }));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      this.#deps.log.error({ err: error, emailId: id }, 'the SMTP connection failed in an unforeseen way');
      await settle(released ? { kind: 'unknown', error: message, provider: '' } : { kind: 'retry', reply: null, error: message, providerFault: true, provider: '' });
    }
    this.#domains.leave(domain, performance.now() - begun);
    this.#free.now();
  }

  async #conclude(provider: Provider, email: { id: number; tenantId: string; attempt: number }, outcome: Outcome): Promise<void> {
    this.#providers.report(provider, outcome);
    this.#deps.metrics.emails.inc({ outcome: outcome.kind });
    await this.#settler.settle(settlementOf(email, outcome));
    this.#leases.drop(email.id);
  }

  #track(work: Promise<void>): void {
    this.#working.add(work);
    void work.finally(() => this.#working.delete(work));
  }
}
