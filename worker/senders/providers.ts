import type { Logger } from '../../config/logger.ts';
import { Breaker } from './breaker.ts';
import type { Outcome } from './smtp-outcome.ts';
import { createSmtpPool, type SmtpPool, type SmtpSlot } from './smtp-pool.ts';

export interface Provider {
  pool: SmtpPool;
  breaker: Breaker;
}

/** Whether an outcome says that the provider, not the message, is in trouble. */
function isTrouble(outcome: Outcome): boolean {
  if (outcome.kind === 'unknown') return true;
  return outcome.kind === 'retry' && (outcome.providerFault || outcome.reply === null || outcome.reply.startsWith('421'));
}

/** The providers in their failover order: mail goes to the first that is not resting. */
export class Providers {
  readonly #all: Provider[];
  readonly #size: number;
  readonly #log: Logger;

  /** `urls` is SMTP_URL; `size` how many connections each may have. */
  constructor(urls: string, size: number, log: Logger) {
    this.#size = size;
    this.#log = log;
    this.#all = urls.split(',').map((url) => ({ pool: createSmtpPool({ url: url.trim(), size }), breaker: new Breaker() }));
  }

  /** The provider to send by now and how many messages it can take; null when all rest. */
  choose(): { provider: Provider; room: number } | null {
    for (const provider of this.#all) {
      const allowed = provider.breaker.allowed(this.#size);
      if (allowed !== null) return { provider, room: Math.max(0, Math.min(allowed - provider.pool.busy(), provider.pool.idle())) };
    }
    return null;
  }

  /** Open connections for up to `count` messages; none when the provider can not be reached, which its breaker hears of. */
  async acquire(provider: Provider, count: number): Promise<SmtpSlot[]> {
    provider.breaker.used();
    try {
      return await provider.pool.acquire(count);
    } catch (error) {
      provider.breaker.failed();
      this.#log.warn({ err: error }, 'a mail provider can not be reached');
      return [];
    }
  }

  report(provider: Provider, outcome: Outcome): void {
    if (outcome.kind === 'not_released') provider.breaker.unused();
    else if (isTrouble(outcome)) provider.breaker.failed();
    else provider.breaker.succeeded();
  }

  /** Waits for what is on connections. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((provider) => provider.pool.close()));
  }
}
