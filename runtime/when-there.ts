import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../config/logger.ts';
import { bySetting } from '../config/start-problems.ts';
import { endForError } from '../config/stop-signal.ts';

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
  /** Called at each error that means that the part is away. Returns whether to log that it is waited for, if that is due. */
  onAway?: (error: unknown) => boolean;
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
  { isAway = () => true, forMs = LONG_MS, onAway = () => true, signal }: WhenThere = {},
): Promise<T> {
  const begun = Date.now();
  for (let said = -Infinity; ;) {
    try {
      return await connect();
    } catch (error) {
      const now = Date.now();
      const isLong = now - begun > LONG_MS;
      if (!isAway(error) || now - begun > forMs) throw error;
      if (onAway(error) && now - said >= (isLong ? LATER_LOG_EVERY_MS : LOG_EVERY_MS)) {
        said = now;
        log.warn({ err: error }, `waiting for ${part}`);
      } else log.debug({ err: error }, `${part}: not there yet`);
      await sleep(isLong ? LATER_PAUSE_MS : PAUSE_MS, undefined, { signal });
    }
  }
}

/** A part of the system, which may come after the process has started. */
export interface Part<T> {
  /** Null until it is there for the first time. */
  current: () => T | null;
  /** Waits no longer, and closes what is there, or just coming. */
  stop: () => Promise<void>;
}

/** A stop waits so long for an attempt to connect. What comes later is closed when it comes. */
const LAST_ATTEMPT_MS = 2_000;

interface Connect<T> {
  connect: () => Promise<T>;
  close?: (value: T) => unknown;
  /** Whether to try again after an error. `hasGoneOn`: the process works without the part. */
  isAway: (error: unknown, hasGoneOn: boolean) => boolean;
  /** Whether another part says that this one is waited for. */
  isSaid?: (error: unknown) => boolean;
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
 * Connects to a part. Rejects if that fails for a reason that waiting does not mend; if the process has gone on, drains
 * and ends it then. Without a part that may come later, it logs once that it waits, and once that the part is there.
 */
export async function connectPart<T>(
  log: Logger,
  part: string,
  { connect, close = () => {}, isAway, isSaid = () => false, setting, later, silentMs = SILENT_MS }: Connect<T>,
): Promise<Part<T>> {
  const giveUp = new AbortController();
  const away = Promise.withResolvers<void>();
  let [current, hasGoneOn, hasSaid]: [T | null, boolean, boolean] = [null, false, false];
  const sayOnce = (error: unknown): boolean => {
    away.resolve();
    const isNew = !hasSaid && !isSaid(error);
    hasSaid ||= isNew;
    return isNew;
  };
  const options = {
    isAway: (error: unknown) => isAway(error, hasGoneOn),
    signal: giveUp.signal,
    ...(later ? { forMs: Infinity, onAway: sayOnce } : {}),
  };
  const attempt = () => whenThere(log, part, connect, options);
  const there = (setting === undefined ? attempt() : bySetting(setting, attempt)).then(async (value) => {
    if (giveUp.signal.aborted) return void (await close(value));
    current = value;
    if (hasGoneOn) log.info(`${part}: there now`);
  });
  const silence = silentMs < Infinity ? [sleep(silentMs, undefined, { ref: false })] : [];
  await (later ? Promise.race([there, away.promise, ...silence]) : there);
  hasGoneOn = true;
  const ended = there.catch((error: unknown) => {
    if (!giveUp.signal.aborted) endForError(error);
  });
  return {
    current: () => current,
    async stop() {
      giveUp.abort();
      await Promise.race([ended, sleep(LAST_ATTEMPT_MS, undefined, { ref: false })]);
      if (current !== null) await close(current);
    },
  };
}
