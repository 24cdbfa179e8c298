import vm from 'node:vm';
import { AssertionError, LiquidError } from 'liquidjs';
import type { Token } from 'liquidjs';
import { AppError } from '../../../lib/checks/errors.ts';

/** The limits of a template. Sizes are in UTF-16 units; large mailbox providers cut off emails above 102 KB anyway. */
export const templateLimits = {
  parseChars: 1_000_000,
  renderMs: 250,
  memoryUnits: 2_000_000,
  outputChars: 2_000_000,
  /** Hard limit, enforced from outside the running code. */
  hardMs: 1_000,
  /** What one email or message may take of an event loop. */
  loopMs: 5,
} as const;

/** The error that liquidjs itself throws when a limit is reached; `isLimitError` recognises it. */
export function limitReached(what: string): AssertionError {
  return new AssertionError(`${what} limit exceeded`);
}

function rootCause(error: unknown): unknown {
  const inner = (error as { originalError?: unknown } | null)?.originalError;
  return inner === undefined ? error : rootCause(inner);
}

/**
 * Whether an error means that a template reached a limit: one of liquidjs, the stack or string size, or the watchdog.
 */
export function isLimitError(error: unknown): boolean {
  const cause = rootCause(error);
  if (wasStopped(cause)) return true;
  if (!(cause instanceof Error)) return false;
  if (cause instanceof RangeError) return /call stack|Invalid (string|array) length/.test(cause.message);
  return /limit exceeded$/.test(cause.message);
}

/** Describes a template's error and its position: liquidjs's message without its position suffix. */
export function describeLiquidError(error: unknown): string {
  const cause = rootCause(error);
  const words = cause instanceof Error ? cause.message.replace(/, line:\d+, col:\d+$/, '') : String(cause);
  if (!LiquidError.is(error)) return words;
  const [line, column] = (error as unknown as { token: Token }).token.getPosition();
  return `${words} (line ${line}, column ${column})`;
}

/** The error for a client whose template failed to render: 422 if over its limits, else 400 with the position. */
export function renderFailure(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error;
  if (isLimitError(error)) return new AppError('template_limit', undefined, { cause: error });
  const message = describeLiquidError(error);
  return new AppError('validation_failed', message, {
    errors: [{ path, code: 'template_syntax', message }],
    cause: error,
  });
}

/**
 * A template that was stopped although it used less than this share of its limit in CPU time was delayed by other
 * work.
 */
const OWN_SHARE = 0.8;
const ATTEMPTS = 5;

const RECENT_MS = 2;
let usage = { at: performance.now(), read: process.threadCpuUsage() };

/** This thread's CPU time, up to RECENT_MS old, because reading it takes a tenth of the time of rendering an email. */
function recentCpuUsage(now = performance.now()): NodeJS.CpuUsage {
  if (now - usage.at > RECENT_MS) usage = { at: now, read: process.threadCpuUsage() };
  return usage.read;
}

/**
 * What all parts of one email or message may take together. liquidjs asks it between two nodes. Only CPU time counts: on
 * a busy machine, other work takes most of the time.
 */
export class Budget {
  #leftMs: number;
  /** How long the output may still become. */
  leftChars: number = templateLimits.outputChars;
  #usedBefore = usage.read;
  /** How old that was when rendering began: so much may have been other work. */
  #agedMs = 0;
  #lookAt = 0;

  constructor(ms: number = templateLimits.renderMs) {
    this.#leftMs = ms;
  }

  /** Counts what some rendering takes. */
  spend<T>(render: () => T): T {
    const at = performance.now();
    this.#usedBefore = recentCpuUsage(at);
    this.#agedMs = at - usage.at;
    this.#lookAt = at + this.#leftMs;
    try {
      return render();
    } finally {
      const ms = performance.now() - at;
      this.#leftMs -= ms > RECENT_MS ? Math.min(ms, this.#usedMs()) : ms;
    }
  }

  #usedMs(): number {
    const { user, system } = process.threadCpuUsage(this.#usedBefore);
    return Math.max(0, (user + system) / 1000 - this.#agedMs);
  }

  /** Throws when the time is over, at this time of performance.now(). */
  check(now: number): void {
    if (now <= this.#lookAt) return;
    const leftMs = this.#leftMs - this.#usedMs();
    if (leftMs <= 0) throw limitReached('template render');
    this.#lookAt = now + leftMs;
  }
}

/** How long templates may take: what liquidjs checks between two nodes, and what stops it whatever it does, if anything. */
export interface TimeLimits {
  renderMs: number;
  hardMs: number | null;
}

/** In a thread. */
export const THREAD_LIMITS: TimeLimits = { renderMs: templateLimits.renderMs, hardMs: templateLimits.hardMs };

/**
 * Runs synchronous work with a budget, and stops it after `hardMs`, whatever it does: liquidjs checks its limits only
 * between two nodes, so that one expensive filter can exceed them. If `hardMs` is null only these limits apply, which
 * saves about 0.2 ms.
 *
 * That is a wall-clock time, which also passes while a busy machine runs other work. So work that was stopped without
 * having used its CPU time is run again, for twice as long: it must have no side effects.
 */
export function withTimeLimit<T>(work: (budget: Budget) => T, { renderMs, hardMs } = THREAD_LIMITS): T {
  for (let attempt = 1; ; attempt += 1) {
    const begun = recentCpuUsage();
    try {
      const budget = new Budget(renderMs);
      return hardMs === null ? work(budget) : stopAfter(hardMs * 2 ** (attempt - 1), () => work(budget));
    } catch (error) {
      const { user, system } = process.threadCpuUsage(begun);
      const wasHeldUp = (user + system) / 1000 < renderMs * OWN_SHARE;
      if (attempt === ATTEMPTS || !wasHeldUp || !isLimitError(error)) throw error;
    }
  }
}

/** Runs synchronous work once and stops it after `ms`, with an error that `wasStopped` recognises. */
const stopAfter = <T>(ms: number, work: () => T): T => watch(ms, work) as T;

/**
 * Whether an error means that work was stopped by its time limit. Not `instanceof`, because the error comes from
 * another realm.
 */
const wasStopped = (error: unknown): boolean =>
  (error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';

let watchdog: ((ms: number, work: () => unknown) => unknown) | undefined;

function watch(ms: number, work: () => unknown): unknown {
  watchdog ??= (() => {
    const sandbox = vm.createContext({ work: (): unknown => undefined });
    const script = new vm.Script('work()');
    return (timeout, task) => {
      sandbox['work'] = task;
      return script.runInContext(sandbox, { timeout }) as unknown;
    };
  })();
  return watchdog(ms, work);
}
