import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import {
  addToPortion,
  changesAt,
  roundScore,
  scoreOf,
  totalOf,
  type Portion,
} from '../../../domain/scoring/scores/decay.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2026, 5, 1);
const portion = (ruleId: number, halfLifeDays: number): Portion => ({
  ruleId,
  halfLifeDays,
  points: 0,
  worth: 0,
  at: -Infinity,
  events: 0,
});
const withPoints = (halfLifeDays: number, ...awards: [points: number, daysAgo: number][]): Portion => {
  const made = portion(1, halfLifeDays);
  for (const [points, daysAgo] of awards) addToPortion(made, points, NOW - daysAgo * DAY);
  return made;
};

test('points are worth half after a half-life, a quarter after two, all before their time', () => {
  const made = withPoints(10, [100, 0]);
  const after = (days: number): number => scoreOf([made], NOW + days * DAY);
  assert.deepEqual([after(-1), after(0), after(10), after(20), after(5), after(1000)], [100, 100, 50, 25, 71, 0]);
  const kept = withPoints(0, [100, 5000]);
  assert.equal(scoreOf([kept], NOW), 100);
});

test('halves round up, also where floats miss them by a little', () => {
  for (const [worth, score] of [
    [2.5, 3],
    [2.4999999999, 3],
    [2.499, 2],
    [-2.5, -2],
    [-2.5000000001, -2],
    [-2.6, -3],
    [-0.2, 0],
  ])
    assert.equal(roundScore(worth!), score, String(worth));
  assert.ok(Object.is(roundScore(-0.2), 0));
});

test('scores of rules add up to the total, although each is rounded', () => {
  const portions = [withPoints(10, [5, 10]), { ...withPoints(10, [5, 10]), ruleId: 2 }];
  assert.deepEqual(
    [scoreOf(portions.slice(0, 1), NOW), scoreOf(portions.slice(1), NOW), totalOf(portions, NOW)],
    [3, 3, 6],
  );
});

const awards = fc.array(
  fc.record({
    rule: fc.integer({ min: 1, max: 3 }),
    halfLifeDays: fc.constantFrom(0, 0.5, 7, 30, 365),
    points: fc.integer({ min: -50, max: 200 }),
    at: fc.integer({ min: NOW - 400 * DAY, max: NOW }),
    key: fc.nat(),
  }),
  { maxLength: 40 },
);
type Award = { rule: number; halfLifeDays: number; points: number; at: number; key: number };
function portionsOf(all: readonly Award[]): Portion[] {
  const made = new Map<string, Portion>();
  for (const { rule, halfLifeDays, points, at } of all) {
    const key = `${rule}/${halfLifeDays}`;
    if (!made.has(key)) made.set(key, portion(rule, halfLifeDays));
    addToPortion(made.get(key)!, points, at);
  }
  return [...made.values()];
}

test('the order of the events makes no difference, and the total is the sum of what each is worth', () => {
  fc.assert(
    fc.property(awards, fc.integer({ min: 0, max: 1000 }), (all, days) => {
      const now = NOW + days * DAY;
      const total = totalOf(portionsOf(all), now);
      assert.equal(totalOf(portionsOf(all.toSorted((one, other) => one.key - other.key)), now), total);
      let sum = 0;
      for (const some of Map.groupBy(all, ({ rule }) => rule).values())
        sum += roundScore(
          some
            .map(({ points, halfLifeDays, at }) =>
              halfLifeDays === 0 ? points : points * 2 ** (-(now - at) / DAY / halfLifeDays),
            )
            .reduce((left, right) => left + right, 0),
        );
      assert.equal(total, sum);
    }),
    { numRuns: 500 },
  );
});

test('a total changes never before the time that is computed ahead, and does change in the end', () => {
  fc.assert(
    fc.property(awards, (all) => {
      const portions = portionsOf(all);
      let now = NOW;
      for (let step = 0; step < 20; step += 1) {
        const next = changesAt(portions, now);
        const total = totalOf(portions, now);
        const until = next ?? now + 10_000 * DAY;
        // Less than a second ahead, it is known only by the second.
        if (until > now + 1_000)
          for (const part of [0.001, 0.3, 0.9, 0.999_999])
            assert.equal(totalOf(portions, now + (until - now) * part - 2), total, `${part} of ${until - now} ms`);
        if (next === null) break;
        assert.ok(next > now);
        now = next;
      }
    }),
    { numRuns: 300 },
  );
  // One rule, one half-life: it is the moment of the change.
  const portions = [withPoints(30, [100, 0])];
  const next = changesAt(portions, NOW)!;
  assert.deepEqual([totalOf(portions, next - 10), totalOf(portions, next + 1_000)], [100, 99]);
  assert.equal(changesAt([withPoints(0, [100, 0])], NOW), null);
  assert.equal(changesAt([withPoints(30, [0.3, 0])], NOW), null, 'it is 0 for good');
});

test('the time of a change is not before it: one point of ten years changes its score once', () => {
  const made = [withPoints(3650, [1, 0])];
  const at = changesAt(made, NOW)!;
  assert.deepEqual([totalOf(made, NOW), totalOf(made, at), changesAt(made, at)], [1, 0, null]);
});
