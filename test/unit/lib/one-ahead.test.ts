import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from '@jest/globals';
import { oneAhead } from '../../../lib/async/one-ahead.ts';

/** Yields 1, 2, 3 and then fails or ends; records what happens. */
async function* source(log: string[], failing: boolean): AsyncGenerator<number> {
  try {
    for (const n of [1, 2, 3]) {
      await turn();
      log.push(`made ${n}`);
      yield n;
    }
    if (failing) throw new Error('broken');
  } finally {
    log.push('ended');
  }
}

test('the next item is made while the last one is used, and no further one', async () => {
  const log: string[] = [];
  for await (const n of oneAhead(source(log, false))) {
    log.push(`begun ${n}`);
    for (let turns = 0; turns < 5; turns += 1) await turn();
    log.push(`used ${n}`);
  }
  assert.deepEqual(log, [
    'made 1',
    'begun 1',
    'made 2',
    'used 1',
    'begun 2',
    'made 3',
    'used 2',
    'ended',
    'begun 3',
    'used 3',
  ]);
});

test('an error comes after the items before it', async () => {
  const used: number[] = [];
  await assert.rejects(async () => {
    for await (const n of oneAhead(source([], true))) {
      for (let turns = 0; turns < 5; turns += 1) await turn();
      used.push(n);
    }
  }, /broken/);
  assert.deepEqual(used, [1, 2, 3]);
});

test('a loop that is left ends the source', async () => {
  const log: string[] = [];
  for await (const n of oneAhead(source(log, true))) if (n === 1) break;
  for (let turns = 0; turns < 5; turns += 1) await turn();
  assert.deepEqual(log, ['made 1', 'made 2', 'ended']);
});
