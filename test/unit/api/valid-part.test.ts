import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { validPart, combineViolations } from '../../../lib/checks/valid-part.ts';

const at = (...paths: string[]) => paths.map((path) => ({ path, code: 'type', message: 'is wrong' }));

test('what is wrong is taken out, and what is left is where it was', () => {
  const value = { a: 1, b: { c: 2, d: [5, 'x', 6, { e: 'y', f: 7 }] }, 'g/h~': 8, untouched: { i: [1] } };
  const { sound, pathOf } = validPart(
    value,
    at('/a', '/b/d/0', '/b/d/2', '/b/d/3/f', '/g~1h~0', '/missing', '/b/c/deeper'),
  )!;
  assert.deepEqual(sound, { b: { c: 2, d: ['x', { e: 'y' }] }, untouched: { i: [1] } });
  assert.equal((sound as typeof value).untouched, value.untouched, 'what nothing is wrong with is not copied');
  assert.deepEqual(['/b/d/0', '/b/d/1/e', '/b/d/1/new', '/b/d', '/untouched/i/0', '', '/elsewhere/1'].map(pathOf), [
    '/b/d/1',
    '/b/d/3/e',
    '/b/d/3/new',
    '/b/d',
    '/untouched/i/0',
    '',
    '/elsewhere/1',
  ]);
  assert.deepEqual(value.b.d.length, 4, 'the value itself stays as it was');
});

test("names of JavaScript's own are names like others", () => {
  const { sound } = validPart(
    JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3}'),
    at('/__proto__', '/constructor'),
  )!;
  assert.deepEqual(Object.entries(sound as object), [['toString', 3]]);
  assert.equal(Object.getPrototypeOf(sound), Object.prototype);
});

test('of a value that is wrong as a whole nothing is left', () => {
  assert.equal(validPart('text', at('')), null);
  assert.equal(validPart({ a: 1 }, at('/a', '')), null);
});

test('a place is told of once, and what holds one lacks nothing for certain', () => {
  const told = at('/fields/0/label', '/name');
  const others = [
    ...at('/name', '/fields/0/type', '/fields'),
    { path: '/fields', code: 'required', message: 'need one' },
    { path: '/other', code: 'required', message: 'is missing' },
  ];
  assert.deepEqual(
    combineViolations(told, others).map(({ path, code }) => `${path} ${code}`),
    ['/fields/0/label type', '/name type', '/fields/0/type type', '/fields type', '/other required'],
  );
});
