import type { Logger } from '../../config/logger.ts';
import type { ProviderSetting } from '../../config/smtp-url.ts';
import { Breaker } from './breaker.ts';
import type { Outcome } from './smtp-outcome.ts';
import { createSmtpPool, type SmtpPool, type SmtpSlot } from './smtp-pool.ts';

/** A provider that has been silent for this long is not used while another one is available. */
const SILENT_MS = 10_000;
/** The minimum interval between rate checks: messages that arrive in between are sent together. */
const LEAST_PAUSE_MS = 50;
const UNASKED_PAUSE_MS = 500;

/** Takes up to `count` messages from a provider's rate limit; if none is granted, `waitMs` says when to ask again. */
export type TakeRate = (setting: ProviderSetting, count: number) => Promise<{ granted: number; waitMs: number }>;

export interface Provider {
  readonly setting: ProviderSetting;
  readonly size: number;
  readonly pool: SmtpPool;
  readonly breaker: Breaker;
  /** Connections that are being opened. */
  opening: number;
  /** When the provider last answered, or last had no message to answer. */
  lastReplyAt: number;
  /** Its rate limit lets no message through before this time. */
  pausedUntil: number;
  sent: number;
  sentAt: Date | null;
  lastError: { message: string; at: Date } | null;
}

/** Whether an outcome says that the provider, not the message, is in trouble. */
function isTrouble(outcome: Outcome): boolean {
  if (outcome.kind === 'unknown') return true;
  return (
    outcome.kind === 'retry' &&
    (outcome.blames === 'provider' || outcome.reply === null || outcome.reply.startsWith('421'))
  );
}

/** The provider to use now, and over how many connections. */
export interface Choice {
  provider: Provider;
  connections: number;
}

export interface ProvidersOptions {
  /** Connections per provider, unless its URL has `connections`. */
  connections: number;
  log: Logger;
  takeRate: TakeRate;
  /** Called when a provider that had no room may have room again. */
  onRoom: () => void;
  openPool?: typeof createSmtpPool;
  now?: () => number;
}

/** The providers in failover order: emails go to the first whose breaker is not open. */
export class Providers {
  readonly all: readonly Provider[];
  readonly #options: ProvidersOptions;
  readonly #now: () => number;
  readonly #timers = new Set<NodeJS.Timeout>();

  constructor(settings: readonly ProviderSetting[], options: ProvidersOptions) {
    const { connections, openPool = createSmtpPool, now = () => performance.now() } = options;
    this.#options = options;
    this.#now = now;
    this.all = settings.map((setting) => {
      const size = setting.connections ?? connections;
      const pool = openPool({ url: setting.url, provider: setting.provider, size });
      return {
        setting,
        size,
        pool,
        breaker: new Breaker(now),
        opening: 0,
        lastReplyAt: 0,
        pausedUntil: 0,
        sent: 0,
        sentAt: null,
        lastError: null,
      };
    });
  }

  /**
   * The provider to use now, and over how many connections; null if all breakers are open. A silent provider is skipped
   * if there is another. One whose rate is used up has no connections for the moment, but is not skipped: that is no
   * failure.
   */
  choose(): Choice | null {
    const usable = this.all.flatMap((provider) => {
      const allowed = provider.breaker.allowed(provider.size);
      return allowed === null ? [] : [{ provider, connections: this.#now() >= provider.pausedUntil ? allowed : 0 }];
    });
    return usable.find(({ provider }) => !this.#isSilent(provider)) ?? usable[0] ?? null;
  }

  /** Whether a provider may be used now, or within `ms`. */
  mayBeUsedWithin(ms: number): boolean {
    return this.choose() !== null || this.all.some(({ breaker }) => (breaker.health.restsForMs ?? Infinity) <= ms);
  }

  /** Takes up to `count` messages from the provider's rate limit; returns how many are granted. */
  async grant(provider: Provider, count: number): Promise<number> {
    if (provider.setting.ratePerMinute === null || count === 0) return count;
    const { granted, waitMs } = await this.#options.takeRate(provider.setting, count).catch((error: unknown) => {
      this.#options.log.warn({ err: error }, 'could not check the rate limit of a mail provider');
      return { granted: 0, waitMs: UNASKED_PAUSE_MS };
    });
    if (granted < count) {
      const pause = Math.max(waitMs, LEAST_PAUSE_MS);
      provider.pausedUntil = this.#now() + pause;
      const timer = setTimeout(() => {
        this.#timers.delete(timer);
        this.#options.onRoom();
      }, pause);
      this.#timers.add(timer);
    }
    return granted;
  }

  /** How many more connections may be acquired. */
  room({ breaker, size, pool }: Provider): number {
    return Math.max(0, Math.min((breaker.allowed(size) ?? 0) - pool.busy(), pool.idle()));
  }

  /**
   * Acquires up to `count` connections. If the provider cannot be reached, reports that to its breaker and returns
   * none.
   */
  async acquire(provider: Provider, count: number): Promise<SmtpSlot[]> {
    provider.breaker.used();
    if (provider.pool.busy() === 0) provider.lastReplyAt = this.#now();
    try {
      return await provider.pool.acquire(count);
    } catch (error) {
      this.#failed(provider, error instanceof Error ? error.message : String(error));
      this.#options.log.warn({ err: error }, 'cannot reach a mail provider');
      return [];
    }
  }

  /** Whether a connection may be used for another message: no more are in use than the provider's breaker allows. */
  mayGoOn({ breaker, size, pool }: Provider): boolean {
    const allowed = breaker.allowed(size);
    return allowed !== null && pool.busy() <= allowed;
  }

  report(provider: Provider, outcome: Outcome): void {
    if (isTrouble(outcome)) return this.#failed(provider, 'error' in outcome ? outcome.error : outcome.kind);
    provider.lastReplyAt = this.#now();
    if (outcome.kind === 'not_released') return provider.breaker.unused();
    provider.breaker.succeeded();
    if (outcome.kind !== 'sent') return;
    provider.sent += 1;
    provider.sentAt = new Date();
  }

  /** Waits for the messages in flight, and closes the connections. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all(this.all.map((provider) => provider.pool.close()));
  }

  #isSilent(provider: Provider): boolean {
    return provider.pool.busy() > 0 && this.#now() - provider.lastReplyAt > SILENT_MS;
  }

  #failed(provider: Provider, message: string): void {
    provider.breaker.failed(this.#now() - provider.lastReplyAt > SILENT_MS);
    provider.lastReplyAt = this.#now();
    provider.lastError = { message, at: new Date() };
  }
}
