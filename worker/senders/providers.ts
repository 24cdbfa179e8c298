import type { Logger } from '../../config/logger.ts';
import { Breaker } from './breaker.ts';
import { openConnection } from './smtp-connection.ts';
import type { Outcome } from './smtp-outcome.ts';
import { createSmtpPool, type SmtpPool } from './smtp-pool.ts';

export interface Provider {
  url: string;
  pool: SmtpPool;
  breaker: Breaker;
  /** Messages that are being started and will be on it in a moment. */
  reserved: number;
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
  readonly #onChange: () => void;

  /** `urls` is SMTP_URL; `size` how many connections each may have; `onChange` hears of a provider that is back. */
  constructor(urls: string, size: number, log: Logger, onChange: () => void) {
    this.#size = size;
    this.#log = log;
    this.#onChange = onChange;
    this.#all = urls.split(',').map((url) => ({ url: url.trim(), pool: createSmtpPool({ url: url.trim(), size }), breaker: new Breaker(), reserved: 0 }));
  }

  /** The provider to send by now and how many messages it can take; null when all rest. */
  choose(): { provider: Provider; slots: number } | null {
    for (const provider of this.#all) {
      if (provider.breaker.takeProbe()) void this.#probe(provider);
      const allowed = provider.breaker.allowed(this.#size);
      if (allowed !== null) {
        const taken = provider.pool.busy() + provider.reserved;
        return { provider, slots: Math.max(0, Math.min(allowed - taken, provider.pool.idle() - provider.reserved)) };
      }
      if (provider.breaker.isNew) return null;
    }
    return null;
  }

  reserve(provider: Provider, count: number): void {
    provider.reserved += count;
    if (count > 0) provider.breaker.used();
  }

  report(provider: Provider, outcome: Outcome): void {
    if (outcome.kind === 'not_released') return;
    if (isTrouble(outcome)) provider.breaker.failed();
    else provider.breaker.succeeded();
  }

  /** Waits for what is on connections. */
  async close(): Promise<void> {
    await Promise.all(this.#all.map((provider) => provider.pool.close()));
  }

  async #probe(provider: Provider): Promise<void> {
    try {
      (await openConnection(provider.url)).quit();
      provider.breaker.opened();
      this.#onChange();
    } catch (error) {
      provider.breaker.failed();
      this.#log.warn({ err: error }, 'a mail provider can not be reached');
      this.#onChange();
    }
  }
}
