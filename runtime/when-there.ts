import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../config/logger.ts';

const WAIT_MS = 60_000;
const PAUSE_MS = 250;
const LOG_EVERY_MS = 5_000;

/**
 * Runs `connect` until it succeeds. While `isAway` is true for its errors (the part is restarting, or is being started
 * too), retries for at most a minute, and logs that it waits. After that, or on any other error, rejects with the
 * error.
 */
export async function whenThere<T>(
  log: Logger,
  part: string,
  connect: () => Promise<T>,
  isAway: (error: unknown) => boolean = () => true,
): Promise<T> {
  const begun = Date.now();
  for (let said = -Infinity; ;) {
    try {
      return await connect();
    } catch (error) {
      const now = Date.now();
      if (!isAway(error) || now - begun > WAIT_MS) throw error;
      if (now - said >= LOG_EVERY_MS) {
        said = now;
        log.warn({ err: error }, `waiting for ${part}`);
      }
      await sleep(PAUSE_MS);
    }
  }
}
