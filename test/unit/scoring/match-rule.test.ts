import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkConditions, matchesRule, qualificationOf, type RuleCondition } from '../../../domain/scoring/match-rule.ts';

test('conditions hold on the fields of the event, all of them', () => {
  const data = { url: 'https://example.com/Pricing', emailId: 7, first: true };
  const holds = (field: string, operator: RuleCondition['operator'], value?: unknown) => matchesRule([{ field, operator, value }], data);
  assert.equal(holds('emailId', 'eq', 7), true);
  assert.equal(holds('emailId', 'eq', '7'), false);
  assert.equal(holds('emailId', 'ne', 7), false);
  assert.equal(holds('emailId', 'in', [6, 7]), true);
  assert.equal(holds('emailId', 'in', 7), false);
  assert.equal(holds('url', 'contains', '/pricing'), true);
  assert.equal(holds('url', 'startsWith', 'HTTPS://EXAMPLE'), true);
  assert.equal(holds('url', 'startsWith', 'example'), false);
  assert.equal(holds('first', 'exists'), true);
  for (const operator of ['eq', 'in', 'contains', 'startsWith', 'exists'] as const) assert.equal(holds('missing', operator, undefined), false);
  assert.equal(holds('missing', 'ne', 1), true);
  assert.equal(holds('constructor', 'exists'), false);
  assert.equal(matchesRule([{ field: 'emailId', operator: 'eq', value: 7 }, { field: 'first', operator: 'eq', value: false }], data), false);
  assert.equal(matchesRule([], {}), true);
});

test('conditions that could never hold are refused', () => {
  const errors = checkConditions([
    { field: 'url', operator: 'contains', value: 'x' }, { field: 'nope', operator: 'exists' }, { field: 'url', operator: 'eq' },
    { field: 'url', operator: 'in', value: 'x' }, { field: 'url', operator: 'eq', value: ['x'] },
  ], ['url']);
  assert.deepEqual(errors.map(({ path, code }) => `${path} ${code}`), [
    '/conditions/1/field enum', '/conditions/2/value required', '/conditions/3/value type', '/conditions/4/value type',
  ]);
});

test('levels begin at their boundaries', () => {
  const levels = { warm: 30, hot: 70 };
  assert.deepEqual([-5, 29, 30, 69, 70].map((total) => qualificationOf(total, levels)), ['cold', 'cold', 'warm', 'warm', 'hot']);
});
