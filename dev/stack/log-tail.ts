import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const POLL_MS = 500;
const LINES_A_POLL = 3;
const SEVERE = new Set(['warn', 'error', 'fatal']);

/**
 * Follows a file of JSON log lines from its current end and calls `print` with a short text for each warning and error;
 * of a flood, only with the first lines and the number of the others. A file rather than a pipe, so that the logging
 * process does not depend on ours. Returns a function that reads the rest and stops.
 */
export function followWarnings(file: string, name: string, print: (line: string) => void): () => void {
  let offset = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let rest = '';
  const poll = () => {
    const { text, end } = readFrom(file, offset);
    offset = end;
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    const severe = lines.map(shortLine).filter((line) => line !== null);
    for (const line of severe.slice(0, LINES_A_POLL)) print(`${name}: ${line}`);
    if (severe.length > LINES_A_POLL) print(`${name}: … and ${severe.length - LINES_A_POLL} more, see ${file}`);
  };
  const timer = setInterval(poll, POLL_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    poll();
  };
}

/** A short text for a JSON log line of level warn or above, or null. */
export function shortLine(line: string): string | null {
  try {
    const entry = JSON.parse(line) as { level?: string; msg?: string; err?: { message?: string } };
    if (!SEVERE.has(entry.level ?? '')) return null;
    const reason = entry.err?.message?.split('\n')[0];
    return `${entry.level} ${entry.msg ?? ''}${reason && reason !== entry.msg ? ` (${reason})` : ''}`;
  } catch {
    return null;
  }
}

function readFrom(file: string, offset: number): { text: string; end: number } {
  let fd: number;
  try {
    fd = openSync(file, 'r');
  } catch {
    return { text: '', end: offset };
  }
  try {
    const { size } = fstatSync(fd);
    // The file was renamed and started anew, see `startService`.
    const from = size < offset ? 0 : offset;
    const buffer = Buffer.alloc(size - from);
    const length = readSync(fd, buffer, 0, buffer.length, from);
    return { text: buffer.toString('utf8', 0, length), end: from + length };
  } finally {
    closeSync(fd);
  }
}
