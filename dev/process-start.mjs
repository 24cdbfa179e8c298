// @ts-check
// Plain JavaScript without dependencies: dev/bootstrap.mjs needs it before there is a Node that reads TypeScript.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * When the process was started, as an opaque text, or null if there is no such process (a zombie counts as gone). The
 * pid and the start together identify a process permanently, because only pids are reused.
 * @param {number} pid
 * @returns {string | null}
 */
export function processStart(pid) {
  try {
    if (process.platform !== 'linux') {
      return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
    }
    // proc(5): the name in parentheses may contain spaces, so count fields after it; state is the 3rd, start the 22nd.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? null : (fields[19] ?? null);
  } catch {
    return null;
  }
}
