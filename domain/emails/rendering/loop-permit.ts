import { cpuTime } from '../../../lib/async/cpu-time.ts';
import { templateLimits, type TimeLimits } from './template-limits.ts';

/** Renders by which a template is judged that is not plain, and what they may take on the average (ms). */
const MEASURED = 100;
const CHEAP_MS = 1;
/** What cannot be parsed in this time is not parsed on an event loop. */
const PARSE_MS = 20;

/** Raise it with every change of `isPlain`: then templates that are stored are judged anew. */
export const RULES = 1;

/** What a thread found out about a template. */
export interface Judged {
  isPlain: boolean;
  /** How long it took to parse (CPU time, ms). */
  parseMs: number;
  /** The `RULES` by which it was judged. */
  rules: number;
}

/** Code runs several times slower the first time: what takes longer is parsed once more. */
const SURELY_SHORT_MS = 5;

/**
 * How long it takes to parse something (ms); `again` does it without what the first time has kept. Not by the wall clock:
 * the verdict is final, and other work of a busy machine is not the template's fault.
 */
export function parseTime(parse: () => void, again: () => void): number {
  const took = cpuTime();
  parse();
  const ms = took();
  if (ms <= SURELY_SHORT_MS) return ms;
  const tookAgain = cpuTime();
  again();
  return Math.min(ms, tookAgain());
}

/**
 * Whether the emails or messages of a template may be rendered on a sender's own event loop, and how. A template may
 * that is plain, or whose last hundred renders took less than a millisecond. One that takes longer than some
 * milliseconds there is moved to the threads, until a hundred renders were short again.
 */
export class LoopPermit {
  #judged: Judged | null = null;
  #hasOverrun = false;
  #isCheap = false;
  #renders = 0;
  #totalMs = 0;

  get isJudged(): boolean {
    return this.#judged !== null;
  }

  /** Does nothing if it was judged, or if this was by other rules. */
  judge(judged: Judged): void {
    if (judged.rules === RULES) this.#judged ??= judged;
  }

  /** The limits on the event loop; null: it may not be rendered there. `hasData`: its values can be of any length. */
  limits(hasData: boolean): TimeLimits | null {
    if (!this.#judged || this.#judged.parseMs > PARSE_MS) return null;
    const isPlain = this.#judged.isPlain && !this.#hasOverrun;
    if (!isPlain && !this.#isCheap) return null;
    return { renderMs: templateLimits.loopMs, hardMs: isPlain && !hasData ? null : templateLimits.loopMs };
  }

  /** Notes how long a thread took to render it. */
  tookInThread(ms: number): void {
    this.#renders += 1;
    this.#totalMs += ms;
    if (this.#renders < MEASURED) return;
    this.#isCheap = this.#totalMs / this.#renders < CHEAP_MS;
    if (this.#isCheap) this.#hasOverrun = false;
    this.#renders = this.#totalMs = 0;
  }

  /** It took too long on the event loop: from now on it is rendered in the threads. */
  overran(): void {
    this.#hasOverrun = true;
    this.#isCheap = false;
    this.#renders = this.#totalMs = 0;
  }
}
