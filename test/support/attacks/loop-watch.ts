/**
 * For `--import` into a process: writes a line for each turn of the event loop that kept the thread at work for long. What counts is
 * the thread's own processor time: a process that the system let wait has not stood still by its own fault. SIGCONT makes it
 * stand still, which shows that the watch sees it.
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

// Its threads are there to be busy.
if (isMainThread) setInterval(look, TICK_MS).unref();
process.on('SIGCONT', () => {
  const end = Date.now() + 1_000;
  const { user } = process.threadCpuUsage();
  while (process.threadCpuUsage().user - user < 200_000 && Date.now() < end + 10_000);
});
