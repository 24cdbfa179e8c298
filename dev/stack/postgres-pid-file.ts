import { readFile, rm } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes the `postmaster.pid` of a killed Postgres if its pid now belongs to another program: Postgres would take that
 * program for a running server and refuse to start. The file of a running Postgres is left alone.
 */
export async function removeStalePidFile(folder: string): Promise<void> {
  const path = join(folder, 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return;
  const pid = Number.parseInt(text, 10);
  if (!/postgres/.test(programOf(pid))) await rm(path, { force: true });
}

/** The program name of a process, or '' if it is gone. */
function programOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/comm`, 'utf8');
    return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
