import { processStart } from './process-start.mjs';

/** Sends a signal; no error if the process is gone. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits for `ms` milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Stops a process that is not our child: sends the signal, waits until it is gone, and sends SIGKILL after `graceMs`.
 */
export async function stopForeign(pid: number, start: string, name: NodeJS.Signals, graceMs: number): Promise<void> {
  const runs = () => processStart(pid) === start;
  if (!runs()) return;
  signal(pid, name);
  const deadline = Date.now() + graceMs;
  while (runs()) {
    if (Date.now() > deadline) signal(pid, 'SIGKILL');
    await pause(50);
  }
}
