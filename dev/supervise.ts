import { pause } from './process.ts';
import { logTail, type Service } from './service.ts';

export interface SupervisedOptions {
  name: string;
  start: () => Promise<Service>;
  log: (line: string) => void;
  /** Called once when the service has died too often in a row and will not be restarted. */
  gaveUp: (message: string, exitCode: number) => void;
  /**
   * Whether it is one of our own processes. These exit with code 2 for invalid settings, so a restart would not help.
   */
  ours?: boolean;
  /**
   * The delay before the first restart; each further one is four times as long. With the default, a part has 17 s in
   * total to come back.
   */
  firstDelayMs?: number;
}

/** A service that is restarted when it ends by itself. */
export interface Supervised {
  /** The running service, or the last one. */
  current: () => Service;
  stop: () => Promise<void>;
}

const SETTINGS_REFUSED = 2;
const QUICK_MS = 30_000;
const MAX_QUICK_DEATHS = 5;

/**
 * Starts a service and keeps it running: each death is logged and followed by a restart after a growing delay, up to
 * five deaths in a row within 30 s of their start. Rejects if the first start fails.
 */
export async function keepRunning({
  name,
  start,
  log,
  gaveUp,
  ours = false,
  firstDelayMs = 200,
}: SupervisedOptions): Promise<Supervised> {
  let service = await start();
  let stopping = false;
  let wake = () => {};
  const stopRequested = new Promise<void>((resolve) => (wake = resolve));

  async function startAgain(): Promise<void> {
    try {
      service = await start();
    } catch (error) {
      if (!stopping) log(`${name} did not start: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async function watch(): Promise<void> {
    let quickDeaths = 0;
    for (let since = Date.now(); ;) {
      const how = await service.ended;
      if (stopping) return;
      if (ours && how === `exit code ${SETTINGS_REFUSED}`) return gaveUp(plainLines(service), SETTINGS_REFUSED);
      quickDeaths = Date.now() - since < QUICK_MS ? quickDeaths + 1 : 1;
      if (quickDeaths === MAX_QUICK_DEATHS)
        return gaveUp(`${name} died ${quickDeaths} times in a row (${how}), see ${service.logFile}`, 1);
      log(`${name} died (${how}); starting it again.`);
      await Promise.race([pause(firstDelayMs * 4 ** (quickDeaths - 1)), stopRequested]);
      if (stopping) return;
      since = Date.now();
      await startAgain();
      if (stopping) return service.stop();
    }
  }

  const watching = watch();
  return {
    current: () => service,
    async stop() {
      stopping = true;
      wake();
      await service.stop();
      await watching;
    },
  };
}

/** The output of a process other than its JSON log lines. */
function plainLines(service: Service): string {
  return logTail(service, 100)
    .split('\n')
    .filter((line) => !line.startsWith('{'))
    .join('\n');
}
