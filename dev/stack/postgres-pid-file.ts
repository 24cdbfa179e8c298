import { readFile, rm } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Removes the `postmaster.pid` that a killed Postgres left behind when its pid now belongs to another program: Postgres
 * itself would take that program for a running server and refuse to start. A live Postgres' file is left alone.
 */
export async function removeStalePidFile(folder: string): Promise<void> {
  const path = join(folder, 'postmaster.pid');
  const text = await readFile(path, 'utf8').catch(() => null);
  if (text === null) return;
  const pid = Number.parseInt(text, 10);
  if (!/postgres/.test(programOf(pid))) await rm(path, { force: true });
}

/** The program name of a process, empty when it is gone. */
function programOf(pid: number): string {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/comm`, 'utf8');
    return execFileSync('ps', ['-o', 'comm=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
