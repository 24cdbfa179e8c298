import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { InDoubt } from '../../../../worker/senders/in-doubt.ts';

/** An InDoubt that has seen many turns and sends of these durations. */
function after(turnMs: number, sendMs: number): InDoubt {
  const inDoubt = new InDoubt();
  for (let n = 0; n < 100; n += 1) {
    inDoubt.turnTook(turnMs);
    inDoubt.sendTook(sendMs);
  }
  return inDoubt;
}

test('one email per connection until it is known how long one takes', () => {
  const inDoubt = new InDoubt();
  assert.equal(inDoubt.useful(20), 20);
  inDoubt.turnTook(10);
  assert.equal(inDoubt.useful(20), 20);
});

test('a fast provider gets as many as keep its connections busy during a turn, a slow one hardly more than two each', () => {
  assert.equal(after(10, 1).useful(20), 20 * 32);
  assert.equal(after(10, 10).useful(20), 20 * 5);
  assert.equal(after(10, 200).useful(20), 43);
});

test('never more than a second of its sending, but one per connection', () => {
  assert.equal(after(1_000, 250).useful(10), 40);
  assert.equal(after(1_000, 5_000).useful(10), 10);
  assert.equal(after(10, 1).useful(0), 0);
});
