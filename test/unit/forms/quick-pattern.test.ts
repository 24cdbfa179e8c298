import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { isQuick } from '../../../api/forms/shared/quick-pattern.ts';

test('browsers check the patterns that forms usually have', () => {
  for (const pattern of [
    'a+',
    '[A-Z]{2}\\d+',
    '\\d{5}(-\\d{4})?',
    '(DE|AT|CH)-\\d+',
    '(?:\\+49|0)\\d{3,12}',
    '\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}',
    '[)+*]{2}',
    '\\)+x',
    '\\p{L}{2,3}',
  ])
    assert.ok(isQuick(pattern, 1000), pattern);
  // With more repetitions it depends on the text.
  assert.ok(isQuick('[a-z]+@[a-z]+\\.[a-z]+', 40));
});

test('patterns that can keep an engine busy are left to the server', () => {
  for (const pattern of [
    '(a+)+b',
    '(a|aa)*b',
    '(?:a*)*',
    '(a|a){20}b',
    '((a?){9})+',
    '(?:x+x+){2,}y',
    '.*.*.*=',
    'a{0,900}a{0,900}a{0,900}b',
    'a{1,}a{1,}a{1,}b',
    'a?'.repeat(40) + 'a'.repeat(40),
    '(a|b)'.repeat(40),
    '[(]+(a+)+',
  ])
    assert.ok(!isQuick(pattern, 1000), pattern);
});

test('a minimum beyond the length of the text makes nothing quick', () => {
  for (const rest of ['x{60,}', 'x{41,}', 'x{60,70}', 'x{60,}x{60,}', 'x{60,50}'])
    assert.ok(!isQuick(`.*.*.*.*.*.*${rest}`, 40), rest);
  assert.ok(isQuick('x{60,}', 40));
  assert.ok(isQuick('[a-z]+x{60,70}', 40));
});
