import closeWithGrace from 'close-with-grace';
import { takeParentPid } from './env.ts';
import type { Logger } from './logger.ts';
import { sayProblem } from './start-problems.ts';

/**
 * Signals within this time are one request: a terminal or systemd signals all processes of a group, and npm and
 * dev/bootstrap.mjs forward the signal as well.
 */
const SAME_REQUEST_MS = 2_000;
const PARENT_CHECK_MS = 1_000;
const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `stop` once on SIGINT, SIGTERM, SIGHUP, or when the process that started us with `npm` is gone; calls `kill` on
 * a signal that comes more than 2 s after the first.
 */
export function onStopRequest(stop: (reason: string) => void, kill: () => void): void {
  let state: 'running' | 'asked' | 'stopping' = 'running';
  const request = (reason: string) => {
    if (state === 'stopping') return kill();
    if (state === 'asked') return;
    state = 'asked';
    // Signals that came while the event loop was busy are handled between the timer and setImmediate.
    setTimeout(() => setImmediate(() => (state = 'stopping')), SAME_REQUEST_MS).unref();
    stop(reason);
  };
  for (const name of STOP_SIGNALS) process.on(name, () => request(name));
  // If dev/bootstrap.mjs was killed, nobody could stop us any more.
  const parent = takeParentPid();
  if (parent === null) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    if (state === 'running') request('the terminal is gone');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** Drains and ends the process with this exit code; null before it drains on a stop request. */
let drainAndEnd: ((exitCode: number) => void) | null = null;

/** Ends the process, because of an error that shows after its start, with the exit code of `startOrExit`. Drains first. */
export function endForError(error: unknown): void {
  const exitCode = sayProblem(error);
  if (drainAndEnd) drainAndEnd(exitCode);
  else process.exit(exitCode);
}

/**
 * On a stop request or an uncaught error, runs `drain` and ends the process: with code 0 after a request. Ends it with
 * code 1 after `graceMs`, and at once on a signal that comes more than 2 s after the first.
 */
export function drainOnStop(log: Logger, graceMs: number, drain: () => Promise<void>): void {
  let isDraining = false;
  let exitCode = 0;
  const grace = closeWithGrace({ delay: graceMs, logger: undefined, skip: [...STOP_SIGNALS] }, async ({ err }) => {
    isDraining = true;
    if (err) log.fatal({ err }, 'crashed');
    await drain();
    log.info('stopped');
    if (exitCode !== 0) process.exit(exitCode);
  });
  drainAndEnd = (code) => {
    if (isDraining) return;
    exitCode = code;
    log.fatal('draining, because of an error');
    grace.close();
  };
  onStopRequest(
    (reason) => {
      if (isDraining) return;
      log.info({ reason }, 'draining');
      grace.close();
    },
    () => {
      log.warn('ending at once: the second request to stop');
      process.exit(1);
    },
  );
}
