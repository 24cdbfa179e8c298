import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

const POLL_MS = 500;
/** A message is shown once in this time, however often it comes. */
const QUIET_MS = 60_000;
/** Of different messages, so many lines are shown of what came in between. */
const LINES_A_POLL = 3;
const SEVERE = new Set(['warn', 'error', 'fatal']);

/**
 * Follows a file of JSON log lines from its current end and calls `print` with a short text for each warning and error.
 * A message that comes again within a minute is only counted, and so are the lines of a flood beyond the first ones. A
 * file rather than a pipe, so that the logging process does not depend on ours. Returns a function that reads the rest
 * and stops.
 */
export function followWarnings(
  file: string,
  name: string,
  print: (line: string) => void,
  now: () => number = () => performance.now(),
): () => void {
  const shown = new Map<string, { at: number; more: number }>();
  /** Whether a line is to be shown; else it is counted. */
  const isNew = ({ message }: Severe): boolean => {
    const before = shown.get(message);
    if (before) before.more += 1;
    else shown.set(message, { at: now(), more: 0 });
    return before === undefined;
  };
  const sumUp = (isOver: (at: number) => boolean): void => {
    for (const [message, { at, more }] of shown) {
      if (!isOver(at)) continue;
      shown.delete(message);
      if (more > 0) print(`${name}: ${message.replace(/\.$/, '')}: ${more} more like this, see ${file}`);
    }
  };
  let offset = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let rest = '';
  const poll = () => {
    const { text, end } = readFrom(file, offset);
    offset = end;
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    sumUp((at) => now() - at >= QUIET_MS);
    const severe = lines
      .map(severeLine)
      .filter((line) => line !== null)
      .filter(isNew);
    for (const { line } of severe.slice(0, LINES_A_POLL)) print(`${name}: ${line}`);
    if (severe.length > LINES_A_POLL) print(`${name}: … and ${severe.length - LINES_A_POLL} more, see ${file}`);
  };
  const timer = setInterval(poll, POLL_MS);
  timer.unref();
  return () => {
    clearInterval(timer);
    poll();
    sumUp(() => true);
  };
}

/** Ids and numbers, as Temporal has them within its messages. */
const VARYING = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(:\d+)*|(?<![\w…])\d+(\.\d+)?/g;

interface Severe {
  /** What it says, without what differs from one such line to the next. */
  message: string;
  line: string;
}

/** A JSON log line of level warn or above, or null. */
export function severeLine(line: string): Severe | null {
  try {
    const entry = JSON.parse(line) as { level?: string; msg?: string; err?: { message?: string } };
    if (!SEVERE.has(entry.level ?? '')) return null;
    const reason = entry.err?.message?.split('\n')[0];
    const message = `${entry.level} ${entry.msg ?? ''}`;
    return {
      message: message.replaceAll(VARYING, '…'),
      line: `${message}${reason && reason !== entry.msg ? ` (${reason})` : ''}`,
    };
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
    // The file was renamed and started anew, or emptied: see `startService` and `rotateLogs`.
    const from = size < offset ? 0 : offset;
    const buffer = Buffer.alloc(size - from);
    const length = readSync(fd, buffer, 0, buffer.length, from);
    return { text: buffer.toString('utf8', 0, length), end: from + length };
  } finally {
    closeSync(fd);
  }
}
