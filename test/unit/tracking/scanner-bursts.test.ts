import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { scannerClicks, type Click } from '../../../domain/tracking/scanner-bursts.ts';

const clicks = (...list: [at: number, url: string][]): Click[] => list.map(([at, url]) => ({ at, url }));
const found = (list: Click[], links: number | null) =>
  [...scannerClicks(list, links)].map((click) => click.at).sort((a, b) => a - b);

test('every link within a second is a scanner, all of its clicks', () => {
  assert.deepEqual(found(clicks([0, 'a'], [500, 'b'], [1000, 'c']), 3), [0, 500, 1000]);
  assert.deepEqual(found(clicks([0, 'a'], [500, 'b'], [1001, 'c']), 3), []);
  assert.deepEqual(found(clicks([0, 'a'], [10, 'b']), 3), []);
});

test('one link, or none that is known, proves nothing', () => {
  assert.deepEqual(found(clicks([0, 'a']), 1), []);
  assert.deepEqual(found(clicks([0, 'a'], [1, 'a']), 1), []);
  assert.deepEqual(found(clicks([0, 'a'], [1, 'b']), null), []);
});

test("a person's click beside a burst, and a burst among a person's clicks", () => {
  assert.deepEqual(found(clicks([0, 'a'], [5000, 'a'], [5100, 'b'], [9000, 'b']), 2), [5000, 5100]);
  // Both links within some second holds for all three here.
  assert.deepEqual(found(clicks([0, 'a'], [900, 'b'], [1800, 'a']), 2), [0, 900, 1800]);
});

test('it is what the definition says, for any clicks in any order', () => {
  const click = fc.record({ at: fc.integer({ min: 0, max: 4000 }), url: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(fc.array(click, { maxLength: 12 }), fc.integer({ min: 2, max: 3 }), (list, links) => {
      const expected = list.filter((one) =>
        list.some(({ at: start }) => {
          const second = list.filter((other) => other.at >= start && other.at <= start + 1000);
          return second.includes(one) && new Set(second.map((other) => other.url)).size >= links;
        }),
      );
      assert.deepEqual(new Set(scannerClicks(list, links)), new Set(expected));
    }),
  );
});
