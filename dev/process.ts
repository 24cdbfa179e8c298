import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When the process was started, as an opaque text, or null when there is no such process (a zombie counts as gone).
 * A pid together with its start names one process for good: pids are used again, the pair is not.
 */
export function processStart(pid: number): string | null {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
    }
    // proc(5): the name in parentheses may hold spaces, so count fields behind it; state is the 3rd, start the 22nd.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}

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
