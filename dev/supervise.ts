import { pause } from './process.ts';
import { logTail, type Service } from './service.ts';

export interface SupervisedOptions {
  name: string;
  start: () => Promise<Service>;
  log: (line: string) => void;
  /**
   * For our own processes, which end with exit code 2 for invalid settings: called with what the first one says, which
   * is then not started again. A later one is, because its settings did work.
   */
  onRefused?: (message: string) => void;
  /** Whether it runs and can no longer do its work: then it is stopped, and started again. Asked every few seconds. */
  isBroken?: (service: Service) => Promise<boolean>;
  /** The delay before the first restart; each further one is four times as long, up to five seconds. */
  firstDelayMs?: number;
}

/** A service that is restarted when it ends by itself. */
export interface Supervised {
  /** The running service, or the last one. */
  current: () => Service;
  stop: () => Promise<void>;
}

const SETTINGS_REFUSED = 'exit code 2';
const QUICK_MS = 30_000;
const LONGEST_DELAY_MS = 5_000;
const LOOK_MS = 2_000;
/** Of deaths in a row, these many are told one by one, and then only every twelfth: one a minute. */
const TOLD_SINGLY = 5;
const TOLD_EVERY = 12;

/**
 * Starts a service and keeps it running: each death is followed by a restart, after a delay that grows while it dies
 * within 30 s of its start. Rejects if the first start fails.
 */
export async function keepRunning({
  name,
  start,
  log,
  onRefused,
  isBroken,
  firstDelayMs = 200,
}: SupervisedOptions): Promise<Supervised> {
  let service = await start();
  const first = service;
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

  function tell(how: string, deaths: number): void {
    if (deaths === 1) return log(`${name} died (${how}); starting it again.`);
    if (deaths > TOLD_SINGLY && deaths % TOLD_EVERY !== 0) return;
    log(`${name} died ${deaths} times in a row (${how}), see ${service.logFile}; starting it again.`);
  }

  /** Ends with the service. */
  async function lookAt(it: Service, isBroken: (service: Service) => Promise<boolean>): Promise<void> {
    while (!it.hasEnded()) {
      await Promise.race([pause(LOOK_MS), it.ended]);
      if (it.hasEnded() || stopping || !(await isBroken(it).catch(() => false))) continue;
      log(`${name} runs, but does not work: stopping it, see ${it.logFile}.`);
      await it.stop();
    }
  }

  async function watch(): Promise<void> {
    let quickDeaths = 0;
    for (let since = Date.now(); ;) {
      if (isBroken) void lookAt(service, isBroken);
      const how = await service.ended;
      if (stopping) return;
      if (onRefused && service === first && how === SETTINGS_REFUSED) return onRefused(plainLines(service));
      quickDeaths = Date.now() - since < QUICK_MS ? quickDeaths + 1 : 1;
      tell(how, quickDeaths);
      const delay = Math.min(firstDelayMs * 4 ** (quickDeaths - 1), LONGEST_DELAY_MS);
      await Promise.race([pause(delay), stopRequested]);
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
