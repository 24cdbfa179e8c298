import vm from 'node:vm';
import { AssertionError, LiquidError } from 'liquidjs';
import type { Token } from 'liquidjs';
import { AppError } from '../../common/errors.ts';

/** What one template may cost. Sizes are in UTF-16 units; a mail above 102 KB is cut off by large mailbox providers anyway. */
export const templateLimits = {
  parseChars: 1_000_000,
  renderMs: 250,
  memoryUnits: 2_000_000,
  outputChars: 2_000_000,
  /** Hard ceiling, enforced from outside of the running code. */
  hardMs: 1_000,
} as const;

/** What liquidjs itself throws when a limit is hit; `isLimitError` knows it. */
export function limitReached(what: string): AssertionError {
  return new AssertionError(`${what} limit exceeded`);
}

function rootCause(error: unknown): unknown {
  const inner = (error as { originalError?: unknown } | null)?.originalError;
  return inner === undefined ? error : rootCause(inner);
}

/** Whether an error says that a template cost too much: a limit of liquidjs, an exhausted stack or string, or the watchdog. */
export function isLimitError(error: unknown): boolean {
  const cause = rootCause(error);
  if (wasStopped(cause)) return true;
  if (!(cause instanceof Error)) return false;
  if (cause instanceof RangeError) return /call stack|Invalid (string|array) length/.test(cause.message);
  return /limit exceeded$/.test(cause.message);
}

/** What is wrong with a template and where: liquidjs's own words without its position suffix. */
export function describeLiquidError(error: unknown): string {
  const cause = rootCause(error);
  const words = cause instanceof Error ? cause.message.replace(/, line:\d+, col:\d+$/, '') : String(cause);
  if (!LiquidError.is(error)) return words;
  const [line, column] = (error as unknown as { token: Token }).token.getPosition();
  return `${words} (line ${line}, column ${column})`;
}

/** The error a caller sees for a template that failed to render: 422 over its limits, else 400 with the place. */
export function renderFailure(error: unknown, path: string): AppError {
  if (error instanceof AppError) return error;
  if (isLimitError(error)) return new AppError('template_limit', undefined, { cause: error });
  const message = describeLiquidError(error);
  return new AppError('validation_failed', message, {
    errors: [{ path, code: 'template_syntax', message }],
    cause: error,
  });
}

/** A template that was stopped with less of the processor's time than this share of its limit was held up by others. */
export const OWN_SHARE = 0.8;
const ATTEMPTS = 5;

const RECENT_MS = 2;
let usage = { at: performance.now(), read: process.threadCpuUsage() };

/** The processor's time of this thread, of up to RECENT_MS ago: to read it takes a tenth of what a mail takes. */
function recentCpuUsage(): NodeJS.CpuUsage {
  const now = performance.now();
  if (now - usage.at > RECENT_MS) usage = { at: now, read: process.threadCpuUsage() };
  return usage.read;
}

/**
 * Runs synchronous work and stops it after `ms`, whatever it does: the limits of liquidjs are only looked at between
 * two nodes, so that one expensive filter passes them. With `ms` null those limits have to do, which saves about 0.2 ms.
 *
 * Limits are of the clock, and on a machine that is busy with something else the clock runs while the template does not:
 * work that was stopped without having used the processor's time is run again, so `work` must not change anything.
 */
export function withTimeLimit<T>(ms: number | null, work: () => T): T {
  for (let attempt = 1; ; attempt += 1) {
    const begun = recentCpuUsage();
    try {
      return ms === null ? work() : (watch(ms, work) as T);
    } catch (error) {
      const { user, system } = process.threadCpuUsage(begun);
      const wasHeldUp = (user + system) / 1000 < templateLimits.renderMs * OWN_SHARE;
      if (attempt === ATTEMPTS || !wasHeldUp || !isLimitError(error)) throw error;
    }
  }
}

/** Runs synchronous work once and stops it after `ms`, by an error that `wasStopped` knows. */
export const stopAfter = <T>(ms: number, work: () => T): T => watch(ms, work) as T;

/** Whether an error says that work was stopped after its time; what stops it comes from another realm. */
export const wasStopped = (error: unknown): boolean =>
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
