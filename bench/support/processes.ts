import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Service } from '../../test/support/service.ts';

export function startProcess(command: string, args: string[], env: NodeJS.ProcessEnv = process.env): ChildProcess {
  const child = spawn(command, args, { env, stdio: 'ignore' });
  child.once('error', (error) => {
    throw new Error(`${command} can not be started`, { cause: error });
  });
  return child;
}

export async function endProcess(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** `npm run worker -- --only …` with the settings of a service. */
export function startWorker(service: Service, only: string): ChildProcess {
  const { PATH, HOME } = process.env;
  const settings = Object.fromEntries(Object.entries(service.deps.env).map(([name, value]) => [name, String(value)]));
  return startProcess(process.execPath, [resolve('worker/main.ts'), '--only', only], { PATH, HOME, ...settings });
}

/** Clock ticks per second in /proc (proc_pid_stat(5)); the same on every Linux. */
const TICKS = 100;

/** The CPU seconds that a process has used so far. */
export async function processorSeconds({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The process name may contain anything; it ends with the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}

/** The current and the peak memory of a process, in MB (proc_pid_status(5)). */
export async function memoryOf({ pid }: { pid?: number | undefined }): Promise<{ now: number; most: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const mb = (name: string): number => Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)![1]) / 1024);
  return { now: mb('VmRSS'), most: mb('VmHWM') };
}
