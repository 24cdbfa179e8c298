import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Batcher } from '../../../lib/async/batcher.ts';

/** A batcher whose batches end when the test says so. */
function makeBatcher({ most = 3, atOnce = 2 } = {}) {
  const begun: number[][] = [];
  const ends: (() => void)[] = [];
  const batches = new Batcher<number>({
    gather: () => endOfTurn(),
    maxItems: most,
    maxConcurrent: atOnce,
    handle: (batch) =>
      new Promise((end) => {
        begun.push(batch);
        ends.push(end);
      }),
  });
  return { batches, begun, ends };
}

/** Long enough for all that follows from promises and turns of the event loop alone. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await endOfTurn();
}

test('what is added in one turn is one batch; no batch has more items than it may, none is lost, the order stays', async () => {
  const { batches, begun, ends } = makeBatcher({ most: 3, atOnce: 100 });
  for (const item of [1, 2]) batches.add(item);
  await settled();
  for (const item of [3, 4, 5, 6, 7, 8, 9]) batches.add(item);
  await settled();
  assert.deepEqual(begun, [[1, 2], [3, 4, 5], [6, 7, 8], [9]]);
  assert.equal(batches.size, 0);
  for (const end of ends) end();
});

test('only so many batches are handled at once; what is added meanwhile makes the next', async () => {
  const { batches, begun, ends } = makeBatcher({ most: 3, atOnce: 2 });
  for (let item = 1; item <= 10; item++) {
    batches.add(item);
    await settled();
  }
  assert.deepEqual(begun, [[1], [2]]);
  assert.equal(batches.size, 8);
  ends[1]!();
  await settled();
  assert.deepEqual(begun, [[1], [2], [3, 4, 5]]);
  ends[0]!();
  ends[2]!();
  await settled();
  assert.deepEqual(begun.slice(3), [
    [6, 7, 8],
    [9, 10],
  ]);
  for (const end of ends) end();
  await settled();
  assert.equal(begun.length, 5);
});

test('what a batch puts back comes before all others, when the batch has ended', async () => {
  const seen: number[][] = [];
  const batches: Batcher<number> = new Batcher<number>({
    gather: () => endOfTurn(),
    maxItems: 2,
    maxConcurrent: 1,
    async handle(batch) {
      seen.push(batch);
      if (seen.length === 1) batches.putBack(batch);
      await endOfTurn();
    },
  });
  for (const item of [1, 2, 3]) batches.add(item);
  await settled();
  assert.deepEqual(seen, [[1, 2], [1, 2], [3]]);
});
