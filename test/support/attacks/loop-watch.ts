/**
 * For `--import` into a process: writes a line for each turn of the event loop that kept the thread busy for long. It
 * measures the thread's own CPU time, because a process that the system did not schedule has not blocked itself.
 * SIGCONT makes it block, to show that the watch detects it.
 */
import { isMainThread } from 'node:worker_threads';

const TICK_MS = 5;
const LONG_MS = 30;

let wall = Date.now();
let processor = process.threadCpuUsage();

function look(): void {
  const now = Date.now();
  const { user, system } = process.threadCpuUsage(processor);
  const ms = Math.round((user + system) / 1000);
  if (ms > LONG_MS) process.stdout.write(`${JSON.stringify({ msg: 'stood still', ms, from: wall, to: now })}\n`);
  wall = now;
  processor = process.threadCpuUsage();
}

// Threads may be busy.
if (isMainThread) setInterval(look, TICK_MS).unref();
process.on('SIGCONT', () => {
  const end = Date.now() + 1_000;
  const { user } = process.threadCpuUsage();
  while (process.threadCpuUsage().user - user < 200_000 && Date.now() < end + 10_000);
});
