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
function supervise(scripts: string[]) {
  const logFile = join(tempDir(), 'it.log');
  const lines: string[] = [];
  const gaveUp = Promise.withResolvers<string>();
  let starts = 0;
  const start = () => {
    const script = scripts[Math.min(starts, scripts.length - 1)] as string;
    starts += 1;
    return startService({ name: 'it', command: process.execPath, args: ['-e', script], logFile });
  };
  const running = keepRunning({
    name: 'it',
    start,
    log: (line) => lines.push(line),
    gaveUp: gaveUp.resolve,
    firstDelayMs: 5,
  });
  onTestFinished(async () => (await running).stop());
  return { running, lines, gaveUp: gaveUp.promise, starts: () => starts };
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

test('what dies five times in a row is given up', async () => {
  const { gaveUp, starts } = supervise(['process.exit(9)']);
  assert.match(await gaveUp, /^it died 5 times in a row \(exit code 9\), see .*it\.log$/);
  assert.equal(starts(), 5);
});

test('stop while it waits to start again starts nothing more', async () => {
  const { running, lines, starts } = supervise(['process.exit(9)']);
  const supervised = await running;
  await until('it has died twice', () => lines.length === 2);
  await supervised.stop();
  assert.equal(starts(), 2);
});
