import { setTimeout as delay } from 'node:timers/promises';
import type { Findings } from '../../domain/reconciliation/comparison.ts';
import type { Deps } from '../../runtime/deps.ts';
import type { WorkflowType } from '../../registry/workflows.ts';

/** How many of them the log names. */
const NAMED = 20;

/** What a round has found so far, and how it goes on. */
export class Found {
  readonly counts: Findings = { started: 0, ended: 0, woken: 0, failed: 0 };
  readonly #named: string[] = [];
  readonly #deps: Pick<Deps, 'log' | 'metrics'>;
  readonly #signal: AbortSignal;
  #pageBegan = performance.now();

  constructor(deps: Pick<Deps, 'log' | 'metrics'>, signal: AbortSignal) {
    this.#deps = deps;
    this.#signal = signal;
  }

  get total(): number {
    const { started, ended, woken, failed } = this.counts;
    return started + ended + woken + failed;
  }

  /**
   * Mends one; `mend` says what was done. An error is counted and logged, so that one that cannot be mended does not stop
   * the round. Returns whether there was none.
   */
  async attempt(type: WorkflowType, id: string, mend: () => Promise<keyof Findings | null>): Promise<boolean> {
    try {
      const done = await mend();
      if (done) this.note(type, [id], done);
      return true;
    } catch (error) {
      // A stop ends the round.
      this.#signal.throwIfAborted();
      this.#deps.log.warn({ err: error, workflowId: id }, 'could not make a row and its workflow agree');
      this.note(type, [id], 'failed');
      return false;
    }
  }

  note(type: WorkflowType, ids: readonly string[], done: keyof Findings): void {
    if (ids.length === 0) return;
    this.counts[done] += ids.length;
    this.#deps.metrics.workflowFindings.inc({ type, done }, ids.length);
    for (const id of ids) if (this.#named.length < NAMED) this.#named.push(`${done} ${id}`);
  }

  /** Rests after a page for as long as it took, so that a round of many pages takes half of a processor at most. */
  async breathe(): Promise<void> {
    await delay(performance.now() - this.#pageBegan, undefined, { signal: this.#signal });
    this.#pageBegan = performance.now();
  }

  tell(): void {
    this.#deps.metrics.workflowsDisagreeing.set(this.total);
    if (this.total === 0) return;
    const now = this.counts.failed === 0 ? 'and do now' : 'and those that failed are tried again in the next round';
    this.#deps.log.warn({ ...this.counts, first: this.#named }, `rows and workflows did not agree, ${now}`);
  }
}
