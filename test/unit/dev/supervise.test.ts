import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { processStart } from '../../../dev/process-start.mjs';
import { signal } from '../../../dev/process.ts';
import { startService } from '../../../dev/service.ts';
import { keepRunning } from '../../../dev/supervise.ts';
import { until } from '../../support/until.ts';
import { tempDir } from './temp-dir.ts';
import { onTestFinished } from '../../support/on-test-finished.ts';

/** A supervised child that runs `script`; the scripts of later starts may differ. */
function supervise(scripts: string[], { ours = false, firstDelayMs = 1 } = {}) {
  const logFile = join(tempDir(), 'it.log');
  const lines: string[] = [];
  const refused = Promise.withResolvers<string>();
  let starts = 0;
  let failure: string | null = null;
  const start = () => {
    if (failure !== null) return Promise.reject(new Error(failure));
    const script = scripts[Math.min(starts, scripts.length - 1)] as string;
    starts += 1;
    return startService({ name: 'it', command: process.execPath, args: ['-e', script], logFile });
  };
  const running = keepRunning({
    name: 'it',
    start,
    log: (line) => lines.push(line),
    ...(ours ? { onRefused: refused.resolve } : {}),
    firstDelayMs,
  });
  onTestFinished(async () => (await running).stop());
  return {
    running,
    lines,
    refused: refused.promise,
    starts: () => starts,
    fail: (message: string | null) => (failure = message),
  };
}

const FOREVER = 'setInterval(() => {}, 1000)';

test('what was killed is started again, with a line', async () => {
  const { running, lines } = supervise([FOREVER]);
  const supervised = await running;
  const first = supervised.current().pid;
  signal(first, 'SIGKILL');
  await until('it runs again', () => supervised.current().pid !== first);
  assert.deepEqual(lines, ['it died (signal SIGKILL); starting it again.']);
  const second = supervised.current();
  await supervised.stop();
  assert.equal(processStart(second.pid), null);
  assert.equal(lines.length, 1);
});

test('what dies again and again is started again, and told less often', async () => {
  const { running, lines, starts } = supervise([...Array<string>(6).fill('process.exit(9)'), FOREVER]);
  const supervised = await running;
  await until('the seventh runs', () => starts() === 7 && !supervised.current().hasEnded());
  assert.match(lines[4]!, /^it died 5 times in a row \(exit code 9\), see .*it\.log; starting it again\.$/);
  assert.equal(lines.length, 5);
});

test('what cannot be started for a while is started when it can', async () => {
  const { lines, running, fail } = supervise([FOREVER]);
  const supervised = await running;
  const { pid } = supervised.current();
  fail('no room');
  signal(pid, 'SIGKILL');
  await until('it has failed twice', () => lines.filter((line) => line === 'it did not start: no room').length === 2);
  fail(null);
  await until('it runs again', () => supervised.current().pid !== pid && !supervised.current().hasEnded());
});

test('of our own processes, the first may refuse its settings; a later one is started again', async () => {
  const refuses = "console.error('PORT must be changed'); process.exit(2)";
  const { refused, starts } = supervise([refuses], { ours: true });
  assert.equal(await refused, 'PORT must be changed');
  assert.equal(starts(), 1);
  const { running } = supervise(['process.exit(1)', refuses, FOREVER], { ours: true });
  const supervised = await running;
  await until('the third runs', () => !supervised.current().hasEnded());
});

test('stop while it waits to start again starts nothing more', async () => {
  const { running, lines, starts } = supervise(['process.exit(9)'], { firstDelayMs: 60_000 });
  const supervised = await running;
  await until('it has died', () => lines.length === 1);
  await supervised.stop();
  assert.equal(starts(), 1);
});
