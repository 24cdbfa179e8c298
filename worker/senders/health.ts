import type { Deps } from '../../runtime/deps.ts';
import { engineEm } from '../../db/orm.ts';
import { forgetHealth, reportHealth, type ProviderReport } from '../../domain/emails/providers/report-health.ts';
import { every } from '../../runtime/every.ts';
import type { BreakerState } from './breaker.ts';
import type { Provider } from './providers.ts';

const STATES: readonly BreakerState[] = ['closed', 'trial', 'open'];
const LOOK_EVERY_MS = 1_000;
/** The interval of heartbeat reports while nothing changes. */
const REPORT_EVERY_MS = 15_000;
const MAX_ERROR = 300;

/** An error message without credentials and email addresses, so that the API can show it. */
export function publicError(message: string, url: string): string {
  const { username, password } = new URL(url);
  const secrets = [username, password].map(decodeURIComponent).filter((part) => part.length > 2);
  return secrets
    .reduce((text, secret) => text.replaceAll(secret, '…'), message)
    .replace(/[^\s<>"'()]+@[^\s<>"'()]+/g, '…')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .toWellFormed()
    .slice(0, MAX_ERROR);
}

/** The health of a mail provider. */
export function reportOf({ setting, breaker, lastError, sent, sentAt }: Provider): ProviderReport {
  return {
    provider: setting.provider,
    ...breaker.health,
    lastError: lastError && publicError(lastError.message, setting.url),
    lastErrorAt: lastError?.at ?? null,
    lastSentAt: sentAt,
    sent,
  };
}

/** Reports the health of this process's providers: on every change, and as a heartbeat. */
export class HealthReports {
  readonly #deps: Pick<Deps, 'orm' | 'log' | 'metrics'>;
  readonly #holder: string;
  readonly #reports: () => ProviderReport[];
  readonly #timer: { stop: () => Promise<void> };
  #told = '';
  #toldAt = -Infinity;

  constructor(deps: Pick<Deps, 'orm' | 'log' | 'metrics'>, holder: string, reports: () => ProviderReport[]) {
    this.#deps = deps;
    this.#holder = holder;
    this.#reports = reports;
    this.#timer = every(LOOK_EVERY_MS, deps.log, 'could not report provider health', () => this.#report());
  }

  async stop(): Promise<void> {
    await this.#timer.stop();
    await forgetHealth(engineEm(this.#deps.orm), this.#holder).catch((error: unknown) =>
      this.#deps.log.warn({ err: error }, 'could not remove health reports'),
    );
  }

  async #report(): Promise<void> {
    const reports = this.#reports();
    for (const { provider, state } of reports)
      for (const one of STATES) this.#deps.metrics.providerState.set({ provider, state: one }, one === state ? 1 : 0);
    if (reports.length === 0 && this.#told === '') return;
    // The count of sent emails alone triggers no report: it goes with the next heartbeat.
    const news = JSON.stringify(
      reports.map(({ provider, state, failures, lastErrorAt }) => [provider, state, failures, lastErrorAt]),
    );
    if (news === this.#told && performance.now() - this.#toldAt < REPORT_EVERY_MS) return;
    this.#toldAt = performance.now();
    await reportHealth(engineEm(this.#deps.orm), this.#holder, reports);
    this.#told = news;
  }
}
