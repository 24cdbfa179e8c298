import assert from 'node:assert/strict';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from '@jest/globals';
import { followWarnings, shortLine } from '../../../dev/stack/log-tail.ts';
import { tempDir } from './temp-dir.ts';

const line = (level: string, msg: string) => `${JSON.stringify({ level, msg })}\n`;

test('a log line is short, and only from warn upwards', () => {
  assert.equal(shortLine('{"level":"info","msg":"fine"}'), null);
  assert.equal(shortLine('no JSON'), null);
  assert.equal(shortLine('{"level":"error","msg":"failed","err":{"message":"why\\nstack"}}'), 'error failed (why)');
  assert.equal(shortLine('{"level":"warn","msg":"same","err":{"message":"same"}}'), 'warn same');
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

test('a flood is cut short and counted', () => {
  const file = join(tempDir(), 'api.log');
  const seen: string[] = [];
  const end = followWarnings(file, 'api', (text) => seen.push(text));
  writeFileSync(file, line('warn', 'again').repeat(100));
  end();
  assert.deepEqual(seen.slice(0, 3), Array(3).fill('api: warn again'));
  assert.deepEqual(seen.slice(3), [`api: … and 97 more, see ${file}`]);
});
