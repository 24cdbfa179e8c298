import assert from 'node:assert/strict';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { followWarnings, severeLine } from '../../../dev/stack/log-tail.ts';
import { until } from '../../support/until.ts';
import { tempDir } from './temp-dir.ts';

const line = (level: string, msg: string) => `${JSON.stringify({ level, msg })}\n`;

test('a log line is short, and only from warn upwards', () => {
  assert.equal(severeLine('{"level":"info","msg":"fine"}'), null);
  assert.equal(severeLine('no JSON'), null);
  const failed = severeLine('{"level":"error","msg":"failed","err":{"message":"why\\nstack"}}');
  assert.deepEqual(failed, { message: 'error failed', line: 'error failed (why)' });
  const late = '[TMPRL1104] 01a2246f-d75a-7981-88e9-1dff8f0f4eaa:10:1 Workflow task duration exceeded 5 seconds.';
  const shown = severeLine(JSON.stringify({ level: 'warn', msg: late }));
  assert.deepEqual(shown, {
    message: 'warn [TMPRL1104] … Workflow task duration exceeded … seconds.',
    line: `warn ${late}`,
  });
  assert.equal(severeLine('{"level":"warn","msg":"same","err":{"message":"same"}}')?.line, 'warn same');
});

test('only what is written from now on is followed, across half lines and a new file', () => {
  const file = join(tempDir(), 'api.log');
  const seen: string[] = [];
  writeFileSync(file, line('error', 'old'));
  const follow = () => followWarnings(file, 'api', (text) => seen.push(text));
  const end = follow();
  appendFileSync(file, line('warn', 'a') + line('info', 'b') + '{"level":"error",');
  end();
  assert.deepEqual(seen, ['api: warn a']);
  const endAgain = follow();
  renameSync(file, `${file}.old`);
  writeFileSync(file, line('fatal', 'c'));
  endAgain();
  assert.deepEqual(seen, ['api: warn a', 'api: fatal c']);
});

test('a message that comes again and again is shown once, and counted', async () => {
  const file = join(tempDir(), 'worker.log');
  const seen: string[] = [];
  let now = 0;
  writeFileSync(file, '');
  const end = followWarnings(
    file,
    'worker',
    (text) => seen.push(text),
    () => now,
  );
  const flood = (reason: string) =>
    `${JSON.stringify({ level: 'warn', msg: 'busy', err: { message: reason } })}\n`.repeat(50);
  appendFileSync(file, flood('one'));
  await until('it is shown', () => seen.length === 1);
  appendFileSync(file, flood('another') + line('error', 'else'));
  await until('the other one is shown', () => seen.length === 2);
  assert.deepEqual(seen, ['worker: warn busy (one)', 'worker: error else']);
  now = 60_000;
  await until('they are summed up', () => seen.length === 3);
  appendFileSync(file, line('warn', 'busy'));
  end();
  assert.deepEqual(seen.slice(2), [`worker: warn busy: 99 more like this, see ${file}`, 'worker: warn busy']);
});

test('of a flood of different messages the first are shown, and the others counted', () => {
  const file = join(tempDir(), 'api.log');
  const seen: string[] = [];
  const end = followWarnings(file, 'api', (text) => seen.push(text));
  writeFileSync(file, Array.from({ length: 100 }, (_, n) => line('warn', 'k'.repeat(n + 1))).join(''));
  end();
  assert.deepEqual(seen.slice(0, 3), ['api: warn k', 'api: warn kk', 'api: warn kkk']);
  assert.deepEqual(seen.slice(3), [`api: … and 97 more, see ${file}`]);
});
