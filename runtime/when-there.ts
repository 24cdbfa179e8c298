import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../config/logger.ts';
import { bySetting, startOrExit } from '../config/start-problems.ts';

const LONG_MS = 60_000;
const PAUSE_MS = 250;
const LATER_PAUSE_MS = 2_000;
const LOG_EVERY_MS = 5_000;
const LATER_LOG_EVERY_MS = 60_000;
/** A start goes on without a part that has not said anything for so long. */
const SILENT_MS = 2_000;

interface WhenThere {
  /** Whether an error means that the part is restarting, or is being started too. Default: any. */
  isAway?: (error: unknown) => boolean;
  /** How long to retry at most, in ms. Default: a minute. */
  forMs?: number;
  /** Called at the first error that means that the part is away. */
  onAway?: () => void;
  signal?: AbortSignal;
}

/**
 * Runs `connect` until it succeeds. While the part is away, retries, and logs that it waits. After that, or on any other
 * error, rejects with the error.
 */
export async function whenThere<T>(
  log: Logger,
  part: string,
  connect: () => Promise<T>,
  { isAway = () => true, forMs = LONG_MS, onAway = () => {}, signal }: WhenThere = {},
): Promise<T> {
  const begun = Date.now();
  for (let said = -Infinity; ;) {
    try {
      return await connect();
    } catch (error) {
      const now = Date.now();
      const isLong = now - begun > LONG_MS;
      if (!isAway(error) || now - begun > forMs) throw error;
      onAway();
      if (now - said >= (isLong ? LATER_LOG_EVERY_MS : LOG_EVERY_MS)) {
        said = now;
        log.warn({ err: error }, `waiting for ${part}`);
      }
      await sleep(isLong ? LATER_PAUSE_MS : PAUSE_MS, undefined, { signal });
    }
  }
}

/** A part of the system, which may come after the process has started. */
export interface Part<T> {
  /** Null until it is there for the first time. */
  current: () => T | null;
  /** Waits no longer. */
  stop: () => void;
}

interface Connect<T> {
  connect: () => Promise<T>;
  isAway: (error: unknown) => boolean;
  /** The setting to blame for any other error. */
  setting?: string;
  /**
   * Go on without the part if it is away, or silent for so many ms, and connect to it when it is there. Else it is waited
   * for, as by `whenThere`.
   */
  later: boolean;
  silentMs?: number;
}

/**
 * Connects to a part. Rejects if that fails for a reason that waiting does not mend; if the process has gone on, ends it
 * then.
 */
export async function connectPart<T>(
  log: Logger,
  part: string,
  { connect, isAway, setting, later, silentMs = SILENT_MS }: Connect<T>,
): Promise<Part<T>> {
  const giveUp = new AbortController();
  const away = Promise.withResolvers<void>();
  let [current, hasGoneOn]: [T | null, boolean] = [null, false];
  const options = { isAway, signal: giveUp.signal, ...(later ? { forMs: Infinity, onAway: away.resolve } : {}) };
  const attempt = () => whenThere(log, part, connect, options);
  const there = (setting === undefined ? attempt() : bySetting(setting, attempt)).then((value) => {
    current = value;
    if (hasGoneOn) log.info(`${part}: there now`);
  });
  const silence = silentMs < Infinity ? [sleep(silentMs, undefined, { ref: false })] : [];
  await (later ? Promise.race([there, away.promise, ...silence]) : there);
  hasGoneOn = true;
  there.catch((error: Error) => {
    if (!giveUp.signal.aborted) void startOrExit(() => Promise.reject(error));
  });
  return { current: () => current, stop: () => giveUp.abort() };
}
