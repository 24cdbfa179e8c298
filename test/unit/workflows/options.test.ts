import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { test } from '@jest/globals';
import { msToNumber } from '@temporalio/common/lib/time.js';
import * as options from '../../../workflows/options.ts';

test('what a killed worker had begun is repeated after 15 seconds, or is short anyway', () => {
  for (const [name, { startToCloseTimeout, ...more }] of Object.entries(options)) {
    const beats = 'heartbeatTimeout' in more ? more.heartbeatTimeout : undefined;
    const seconds = msToNumber(beats ?? startToCloseTimeout!) / 1000;
    assert.ok(seconds <= (beats ? 15 : 30), `${name}: ${seconds} s`);
  }
});

test('no workflow has timeouts of its own', async () => {
  const folder = resolve('workflows');
  for (const file of await readdir(folder)) {
    if (file === 'options.ts') continue;
    assert.doesNotMatch(await readFile(`${folder}/${file}`, 'utf8'), /(ToClose|heartbeat|ToStart)Timeout/, file);
  }
});
