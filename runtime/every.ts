import type { Logger } from '../config/logger.ts';

/** Runs `work` immediately, and again `ms` after each run has ended; `stop` waits for a run in progress. */
export function every(
  ms: number,
  log: Logger,
  failure: string,
  work: () => Promise<void>,
): { stop: () => Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const run = async (): Promise<void> => {
    await work().catch((error: unknown) => log.warn({ err: error }, failure));
    if (!stopped)
      timer = setTimeout(() => {
        running = run();
      }, ms);
  };
  let running = run();
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
