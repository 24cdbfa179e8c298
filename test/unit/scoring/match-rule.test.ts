import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { matchesRule, qualificationOf, type RuleCondition } from '../../../domain/scoring/rules/match-rule.ts';

test('conditions hold on the fields of the event, all of them', () => {
  const data = { url: 'https://example.com/Pricing', emailId: 7 };
  const holds = (field: string, operator: RuleCondition['operator'], value?: RuleCondition['value']) =>
    matchesRule([{ field, operator, value }], data);
  const cases: [...Parameters<typeof holds>, boolean][] = [
    ['emailId', 'eq', 7, true],
    ['emailId', 'eq', '7', true],
    ['emailId', 'eq', 8, false],
    ['emailId', 'ne', 7, false],
    ['emailId', 'ne', 8, true],
    ['emailId', 'in', [6, 7], true],
    ['emailId', 'in', [6], false],
    ['emailId', 'notIn', [6, 7], false],
    ['emailId', 'notIn', [6], true],
    ['url', 'contains', '/pricing', true],
    ['url', 'startsWith', 'HTTPS://EXAMPLE', true],
    ['url', 'startsWith', 'example', false],
    ['url', 'endsWith', 'PRICING', true],
    ['url', 'endsWith', 'price', false],
    ['url', 'eq', 'https://example.com/pricing', false],
    ['url', 'exists', undefined, true],
    ['url', 'notExists', undefined, false],
    ['missing', 'notExists', undefined, true],
    ['missing', 'exists', undefined, false],
    ['missing', 'eq', 'x', false],
    ['missing', 'contains', 'x', false],
    ['missing', 'ne', 1, true],
    ['missing', 'notIn', [1], true],
    ['constructor', 'exists', undefined, false],
  ];
  for (const [field, operator, value, expected] of cases)
    assert.equal(holds(field, operator, value), expected, `${field} ${operator} ${JSON.stringify(value)}`);
  assert.equal(
    matchesRule(
      [
        { field: 'emailId', operator: 'eq', value: 7 },
        { field: 'url', operator: 'eq', value: 'x' },
      ],
      data,
    ),
    false,
  );
  assert.equal(matchesRule([], {}), true);
});

test('levels begin at their boundaries', () => {
  const levels = { warm: 30, hot: 70 };
  assert.deepEqual(
    [-5, 29, 30, 69, 70].map((total) => qualificationOf(total, levels)),
    ['cold', 'cold', 'warm', 'warm', 'hot'],
  );
});
