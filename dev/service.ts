import { spawn } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fchmodSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { processStart } from './process-start.mjs';
import { pause, signal } from './process.ts';

/** A child process of the stack. */
export interface Service {
  name: string;
  pid: number;
  /** The start of the process, from `processStart`. */
  start: string;
  stopSignal: NodeJS.Signals;
  graceMs: number;
  logFile: string;
  /** The offset of this process's first line in the log file, in bytes. */
  logStart: number;
  /** Resolves when the process has ended, with a text such as `exit code 1`; never rejects. */
  ended: Promise<string>;
  /** Whether the process has ended. */
  hasEnded: () => boolean;
  /** Stops the process and waits until it is gone; SIGKILL after `graceMs`. */
  stop: () => Promise<void>;
}

export interface ServiceOptions {
  name: string;
  command: string;
  args: string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /**
   * stdout and stderr are appended to this file; if it exceeds 10 MB, it is renamed to `<logFile>.old` at a start, and
   * copied there and emptied meanwhile (`rotateLogs`).
   */
  logFile: string;
  uid?: number;
  gid?: number;
  stopSignal?: NodeJS.Signals;
  graceMs?: number;
  /** Called as soon as the process exists, long before it is ready. */
  spawned?: (service: Service) => void;
}

const LOG_LIMIT_BYTES = 10 * 1024 * 1024;

/**
 * Starts a child in its own process group, so that Ctrl-C in the terminal only reaches the caller, who stops its
 * children in order. Rejects if the command cannot be run.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const log = openLog(options.logFile);
  const logStart = fstatSync(log).size;
  // Its files must be readable only by their owner; a child inherits the mask.
  const mask = process.umask(0o077);
  const child = spawn(options.command, options.args, {
    cwd: options.cwd,
    env: options.env ?? process.env,
    uid: options.uid,
    gid: options.gid,
    stdio: ['ignore', log, log],
    detached: true,
  });
  process.umask(mask);
  closeSync(log);
  let over = false;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, name) => {
      over = true;
      resolve(name ? `signal ${name}` : `exit code ${code}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (error) => reject(new Error(`${options.name} could not be started: ${error.message}`)));
  });
  const pid = child.pid as number;
  const service: Service = {
    name: options.name,
    pid,
    start: processStart(pid) ?? 'ended',
    stopSignal: options.stopSignal ?? 'SIGTERM',
    graceMs: options.graceMs ?? 30_000,
    logFile: options.logFile,
    logStart,
    ended,
    hasEnded: () => over,
    async stop() {
      if (over) return;
      signal(pid, service.stopSignal);
      const timer = setTimeout(() => signal(pid, 'SIGKILL'), service.graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
  try {
    options.spawned?.(service);
  } catch (error) {
    await service.stop();
    throw error;
  }
  return service;
}

/**
 * Repeats `attempt` until it succeeds. Rejects with the end of the service's log if the service ends first or after
 * `timeoutMs`.
 */
export async function untilReady<T>(service: Service, attempt: () => Promise<T>, timeoutMs = 60_000): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    try {
      const answer = await attempt();
      // Another server on the same port must not be mistaken for ours, which could not start because of it.
      if (service.hasEnded()) throw new Error('another program answered in its place');
      return answer;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (service.hasEnded()) {
        throw new Error(`${service.name} ended (${await service.ended}).\n${logTail(service)}`, { cause: error });
      }
      if (Date.now() > deadline) {
        throw new Error(`${service.name} is not ready after ${timeoutMs / 1000} s: ${reason}\n${logTail(service)}`, {
          cause: error,
        });
      }
      await pause(25);
    }
  }
}

/** The last lines of a service's log, for an error message. */
export function logTail({ logFile, logStart }: Service, lines = 15): string {
  try {
    const log = readFileSync(logFile);
    // If it was emptied since, all of it is this process's.
    return log
      .subarray(log.length < logStart ? 0 : logStart)
      .toString()
      .trimEnd()
      .split('\n')
      .slice(-lines)
      .join('\n');
  } catch {
    return '';
  }
}

/**
 * Empties the logs in a folder that are larger than `limit`, after copying each to `<log>.old`: processes write to them,
 * always at their end, and need not open them anew. What they write in between is lost.
 */
export function rotateLogs(folder: string, limit = LOG_LIMIT_BYTES): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (!name.endsWith('.log') || (statSync(file, { throwIfNoEntry: false })?.size ?? 0) <= limit) continue;
    copyFileSync(file, `${file}.old`);
    chmodSync(`${file}.old`, 0o600);
    truncateSync(file);
  }
}

function openLog(file: string): number {
  const old = `${file}.old`;
  makePrivate(dirname(file));
  const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  if (size > LOG_LIMIT_BYTES) renameSync(file, old);
  if (existsSync(old)) chmodSync(old, 0o600);
  const log = openSync(file, 'a', 0o600);
  fchmodSync(log, 0o600);
  return log;
}

/** Creates a folder that only its owner may enter, or restricts an existing one. */
export function makePrivate(folder: string): void {
  mkdirSync(folder, { recursive: true });
  chmodSync(folder, 0o700);
}
