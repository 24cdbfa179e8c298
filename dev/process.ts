import { processStart } from './process-start.mjs';

/** Sends a signal; a process that is gone already is no error. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Waits for `ms` milliseconds between two looks at a condition. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Stops a process that is not our child: signal, wait until it is gone, SIGKILL after `graceMs`. */
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
