import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { niceScale, thinned } from '../../../domain/reports/render/pdf/scale.ts';

test('an axis ends at or above the largest value, at a round number', () => {
  assert.deepEqual(niceScale(0, 'integer').ticks, [0, 1]);
  assert.deepEqual(niceScale(3, 'integer').ticks, [0, 1, 2, 3]);
  assert.deepEqual(niceScale(8, 'integer').ticks, [0, 2, 4, 6, 8]);
  assert.deepEqual(niceScale(8_432, 'integer').ticks, [0, 2000, 4000, 6000, 8000, 10_000]);
  assert.deepEqual(niceScale(0.37, 'percent').ticks, [0, 0.1, 0.2, 0.3, 0.4]);
  assert.deepEqual(niceScale(1, 'percent').ticks, [0, 0.2, 0.4, 0.6, 0.8, 1]);
});

test('any axis has two to six ticks, evenly spaced, whole numbers for counts', () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 40 }), (most) => {
      const { top, ticks } = niceScale(most, 'integer');
      assert.ok(top >= most && ticks.length >= 2 && ticks.length <= 6, `${most}: ${ticks.join(' ')}`);
      assert.ok(
        ticks.every((tick, index) => Number.isInteger(tick) && tick === index * ticks[1]!),
        ticks.join(' '),
      );
    }),
  );
});

test('a line that is thinned keeps its ends and its peaks', () => {
  const values = Array.from({ length: 5000 }, (_, index) => index % 7);
  values[1234] = 999;
  values[4321] = -5;
  const shown = thinned(values, 400);
  assert.ok(shown.length <= 1600 && shown.length >= 400, String(shown.length));
  for (const index of [0, 1234, 4321, 4999]) assert.ok(shown.includes(index), String(index));
  assert.deepEqual(
    shown,
    shown.toSorted((one, other) => one - other),
  );
  assert.deepEqual(thinned([3, 1, 2], 400), [0, 1, 2]);
});
