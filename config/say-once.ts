import type { Logger } from './logger.ts';

/** What lasts is said again after so long. */
const AGAIN_MS = 600_000;

/** The log of something that is tried again and again. */
export interface SayOnce {
  failed: (error: unknown) => void;
  succeeded: () => void;
}

/** Logs the first failure, and the first success after it; in between once in ten minutes. */
export function sayOnce(log: Logger, fields: object, failure: string, success: string): SayOnce {
  let saidAt = -Infinity;
  return {
    failed(error) {
      if (performance.now() - saidAt < AGAIN_MS) return log.debug({ err: error, ...fields }, failure);
      saidAt = performance.now();
      log.warn({ err: error, ...fields }, failure);
    },
    succeeded() {
      if (saidAt > -Infinity) log.info(fields, success);
      saidAt = -Infinity;
    },
  };
}
