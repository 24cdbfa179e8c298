import { setTimeout as sleep } from 'node:timers/promises';

/** Polls a condition every 20 ms; returns its first truthy value. Fails after `timeoutMs` with `what`. */
export async function until<T>(
  what: string,
  condition: () => Promise<T> | T,
  timeoutMs = 60_000,
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, false | null | undefined | 0 | ''>;
    if (Date.now() > deadline) throw new Error(`timed out waiting until ${what}`);
    await sleep(20);
  }
}
