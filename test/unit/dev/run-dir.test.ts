import assert from 'node:assert/strict';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from '@jest/globals';
import { makeRunDir } from '../../../dev/stack/test-stack.ts';
import { tempDir } from './temp-dir.ts';

test('the data of Postgres is in the folder in memory, and removed with the run', async () => {
  const memory = tempDir();
  const { dir, remove } = await makeRunDir(() => undefined, memory);
  const place = dirname(readlinkSync(join(dir, 'postgres')));
  assert.equal(dirname(place), memory);
  assert.ok(existsSync(place));
  await remove();
  assert.deepEqual([existsSync(dir), readdirSync(memory)], [false, []]);
});

test('without a folder in memory the data stays in the folder of the run', async () => {
  const { dir, remove } = await makeRunDir(() => undefined);
  assert.deepEqual(readdirSync(dir), ['run.json']);
  await remove();
  assert.equal(existsSync(dir), false);
});
