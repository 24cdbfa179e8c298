import type { ChannelProvider } from '../../db/entities/channels.ts';
import { engineEm, rows, sql } from '../../db/orm.ts';
import type { LeasedSend } from '../../domain/channels/ledger/lease-sends.ts';
import { openCredentials } from '../../domain/channels/providers/credentials.ts';
import type { CallOutcome } from '../../domain/channels/transport/outcome.ts';
import { providerName } from '../../domain/channels/providers/provider-health.ts';
import { Batcher } from '../../lib/async/batcher.ts';
import type { ProviderReport } from '../../domain/emails/providers/report-health.ts';
import { takeRate } from '../../domain/emails/providers/take-rate.ts';
import type { Deps } from '../../runtime/deps.ts';
import { Breaker } from '../senders/breaker.ts';

/** How long a tenant's providers are used as they were read. */
const FRESH_MS = 1_000;
const MOST_ERROR = 300;
/** For how long a provider, or a message, is put off at most. */
export const LONGEST_RETRY_SECONDS = 900;

type ProviderRow = Pick<
  ChannelProvider,
  | 'id'
  | 'tenantId'
  | 'channel'
  | 'type'
  | 'priority'
  | 'ratePerSecond'
  | 'config'
  | 'credentials'
  | 'active'
  | 'version'
>;

/** A provider, and what this process knows of it. */
export class Provider {
  row: ProviderRow;
  credentials: Record<string, unknown>;
  readonly breaker = new Breaker();
  /** It asked us to wait until then, by performance.now(). */
  restsUntil = 0;
  /** Requests on their way. */
  open = 0;
  sent = 0;
  sentAt: Date | null = null;
  lastError: { message: string; at: Date } | null = null;
  readonly #rate: Batcher<(wait: number) => void>;
  /** Its rate has no message before, by performance.now(). */
  #rateFreeAt = 0;

  constructor(deps: Pick<Deps, 'orm' | 'log'>, row: ProviderRow, credentials: Record<string, unknown>) {
    this.row = row;
    this.credentials = credentials;
    this.#rate = new Batcher<(wait: number) => void>({
      gather: () => Promise.resolve(),
      maxItems: 100,
      maxConcurrent: 1,
      handle: async (asking) => {
        const provider = providerName(this.row.id);
        const ratePerMinute = this.row.ratePerSecond! * 60;
        const taken = await takeRate(engineEm(deps.orm), { provider, ratePerMinute }, asking.length).catch(
          (error: unknown) => {
            deps.log.warn({ err: error, provider }, 'could not take from the rate of a provider');
            return { granted: 0, waitMs: 1_000 };
          },
        );
        if (taken.granted < asking.length) this.#rateFreeAt = performance.now() + Math.max(1, taken.waitMs);
        asking.forEach((answer, index) => answer(index < taken.granted ? 0 : Math.max(1, taken.waitMs)));
      },
    });
  }

  /** Whether another message may be given to it now. */
  get isUsable(): boolean {
    const allowed = this.breaker.allowed(Infinity);
    return allowed !== null && this.open < allowed && performance.now() >= this.restsUntil;
  }

  /** Whether a message is trying it, and has not done so for long. */
  get isTried(): boolean {
    return this.breaker.health.state === 'trial' && this.breaker.allowed(Infinity) !== null && this.open > 0;
  }

  /** The message for which it was chosen is not on its way any more. */
  free(): void {
    this.open -= 1;
  }

  /** In how many milliseconds its rate has a message, as far as is known without taking one. */
  get rateWait(): number {
    return Math.max(0, this.#rateFreeAt - performance.now());
  }

  /** Takes one message of its rate. Returns in how many milliseconds there is one; 0 = it is taken. */
  async take(): Promise<number> {
    return this.row.ratePerSecond == null ? 0 : new Promise((resolve) => this.#rate.add(resolve));
  }

  /** Notes what the outcome of a request says about it. */
  judge({ result, fault, retryAfter, reply }: CallOutcome): void {
    if (fault) {
      this.breaker.failed(fault === 'silent');
      this.lastError = { message: reply.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, MOST_ERROR), at: new Date() };
    } else if (result === 'QUEUED') {
      this.breaker.unused();
      if (retryAfter !== null) this.restsUntil = performance.now() + Math.min(retryAfter, LONGEST_RETRY_SECONDS) * 1000;
    } else {
      this.breaker.succeeded();
      if (result === 'SENT') {
        this.sent += 1;
        this.sentAt = new Date();
      }
    }
  }

  report(): ProviderReport {
    return {
      provider: providerName(this.row.id),
      ...this.breaker.health,
      lastError: this.lastError?.message ?? null,
      lastErrorAt: this.lastError?.at ?? null,
      lastSentAt: this.sentAt,
      sent: this.sent,
    };
  }
}

/**
 * Chosen: a provider. `trial`: one is being tried by another message, and will soon be known to work or not. `wait`: there
 * are some, but none may be used now. `none`: there is none.
 */
export type Choice = Provider | 'trial' | 'wait' | 'none';

/** The providers of all tenants that this process sends for. */
export class Providers {
  readonly #deps: Deps;
  readonly #known = new Map<number, Provider>();
  readonly #tenants = new Map<string, { at: number; list: Promise<Provider[]> }>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The reports of those that are in use. */
  reports(): ProviderReport[] {
    return [...this.#known.values()]
      .filter(({ row, sentAt, lastError }) => row.active || sentAt || lastError)
      .map((provider) => provider.report());
  }

  /**
   * The provider for a message now: the named one, or the first of its channel that may be used. The caller must `free`
   * it: the message counts as on its way from here, so that a provider that is being tried gets no second one.
   */
  async choose({ tenantId, channel, providerId: only, isTest }: LeasedSend): Promise<Choice> {
    const fitting = (await this.#of(tenantId)).filter(
      ({ row }) => row.channel === channel && (only === null || row.id === only) && (row.active || isTest),
    );
    if (fitting.length === 0) return 'none';
    const chosen = fitting.find(({ isUsable }) => isUsable);
    if (!chosen) return fitting.some(({ isTried }) => isTried) ? 'trial' : 'wait';
    chosen.open += 1;
    return chosen;
  }

  async #of(tenantId: string): Promise<Provider[]> {
    const known = this.#tenants.get(tenantId);
    if (known && performance.now() - known.at < FRESH_MS) return known.list;
    const list = this.#read(tenantId);
    this.#tenants.set(tenantId, { at: performance.now(), list });
    // A failed read is repeated at once by the next message.
    list.catch(() => this.#tenants.delete(tenantId));
    return list;
  }

  async #read(tenantId: string): Promise<Provider[]> {
    const found = await engineEm(this.#deps.orm).transactional((tx) =>
      rows<ProviderRow>(
        tx,
        sql`
      select id, tenant_id as "tenantId", channel, type, priority, rate_per_second as "ratePerSecond", config, credentials, active, version
      from channel_providers where tenant_id = ${tenantId} order by priority, id`,
      ),
    );
    const ids = new Set(found.map(({ id }) => id));
    for (const [id, { row }] of this.#known) if (row.tenantId === tenantId && !ids.has(id)) this.#known.delete(id);
    return found.flatMap((row) => this.#keep(row) ?? []);
  }

  #keep(row: ProviderRow): Provider | null {
    const known = this.#known.get(row.id);
    if (known?.row.version === row.version) return known;
    try {
      const credentials = openCredentials(this.#deps.env, row);
      // Changed by a person, so what was known of it says nothing any more.
      const provider = new Provider(this.#deps, row, credentials);
      this.#known.set(row.id, provider);
      return provider;
    } catch (error) {
      this.#deps.log.error({ err: error, providerId: row.id }, 'cannot decrypt the credentials of a provider');
      this.#known.delete(row.id);
      return null;
    }
  }
}
