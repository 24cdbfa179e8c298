import type { Logger } from '../config/logger.ts';

/** Runs `work` at once and then `ms` after each run has ended; `stop` waits for one that runs. */
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
