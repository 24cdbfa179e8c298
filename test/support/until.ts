import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** A condition ends its wait itself; this only ends that of a fault, also on a slow machine. */
const LEAST_MS = 300_000;

/**
 * Polls a condition every 20 ms; returns its first truthy value. Fails with `what` and the last value after five minutes,
 * or after `timeoutMs` if that is longer.
 */
export async function until<T>(
  what: string,
  condition: () => Promise<T> | T,
  timeoutMs = LEAST_MS,
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const deadline = Date.now() + Math.max(timeoutMs, LEAST_MS);
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, false | null | undefined | 0 | ''>;
    if (Date.now() > deadline) throw new Error(`timed out waiting until ${what}; last seen: ${inspect(value)}`);
    await sleep(20);
  }
}
