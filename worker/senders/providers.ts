import { Breaker } from './breaker.ts';
import type { Outcome } from './smtp-outcome.ts';
import { createSmtpPool, type SmtpPool } from './smtp-pool.ts';

export interface Provider {
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

  /** `urls` is SMTP_URL; `size` how many connections each may have. */
  constructor(urls: string, size: number) {
    this.#size = size;
    this.#all = urls.split(',').map((url) => ({ pool: createSmtpPool({ url: url.trim(), size }), breaker: new Breaker(), reserved: 0 }));
  }

  /** The provider to send by now and how many messages it can take; null when all rest. */
  choose(): { provider: Provider; slots: number } | null {
    for (const provider of this.#all) {
      const allowed = provider.breaker.allowed(this.#size);
      if (allowed === null) continue;
      const taken = provider.pool.busy() + provider.reserved;
      // One that is being tried again is tried with one message; the others go elsewhere meanwhile.
      if (allowed <= taken && provider.breaker.isOpen && provider !== this.#all.at(-1)) continue;
      return { provider, slots: Math.max(0, Math.min(allowed - taken, provider.pool.idle() - provider.reserved)) };
    }
    return null;
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
}
