import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import type { FieldLeaf } from '../../../domain/membership/filter/filter.ts';
import { matchesWhere } from '../../../domain/membership/filter/match-where.ts';

test('conditions hold on the fields of the event, all of them', () => {
  const data = {
    url: 'https://example.com/Pricing',
    emailId: 7,
    automated: false,
    changed: ['firstName', 'Tags'],
    none: [],
  };
  const holds = (field: string, operator: FieldLeaf['operator'], value?: FieldLeaf['value']) =>
    matchesWhere([{ field, operator, value }], data);
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
    ['emailId', 'gt', 6, true],
    ['emailId', 'gt', 7, false],
    ['emailId', 'gte', 7, true],
    ['emailId', 'lt', 7, false],
    ['emailId', 'lte', 7, true],
    ['emailId', 'between', [7, 9], true],
    ['emailId', 'between', [8, 9], false],
    ['missing', 'gt', 1, false],
    ['automated', 'eq', false, true],
    ['automated', 'eq', true, false],
    ['automated', 'ne', true, true],
    ['changed', 'eq', 'firstName', true],
    ['changed', 'eq', 'first', false],
    ['changed', 'ne', 'firstName', false],
    ['changed', 'in', ['x', 'Tags'], true],
    ['changed', 'notIn', ['x', 'tags'], true],
    ['changed', 'contains', 'tags', true],
    ['changed', 'contains', 'tag', false],
    ['changed', 'exists', undefined, true],
    ['none', 'exists', undefined, false],
    ['none', 'notExists', undefined, true],
  ];
  for (const [field, operator, value, expected] of cases)
    assert.equal(holds(field, operator, value), expected, `${field} ${operator} ${JSON.stringify(value)}`);
  assert.equal(
    matchesWhere(
      [
        { field: 'emailId', operator: 'eq', value: 7 },
        { field: 'url', operator: 'eq', value: 'x' },
      ],
      data,
    ),
    false,
  );
  assert.equal(matchesWhere([], {}), true);
});
