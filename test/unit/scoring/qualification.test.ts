import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { qualificationOf } from '../../../domain/scoring/rules/qualification.ts';

test('levels begin at their boundaries', () => {
  const levels = { warm: 30, hot: 70 };
  assert.deepEqual(
    [-5, 29, 30, 69, 70].map((total) => qualificationOf(total, levels)),
    ['cold', 'cold', 'warm', 'warm', 'hot'],
  );
});
