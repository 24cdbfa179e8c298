import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { sql } from 'kysely';
import { AppError } from '../../../lib/checks/errors.ts';
import { keyset } from '../../../domain/common/paging.ts';

const SORTABLE = {
  id: { column: sql`t.id`, type: 'bigint' },
  at: { column: sql`t.at`, type: 'timestamptz' },
  name: { column: sql`t.name`, type: 'text' },
  score: { column: sql`t.score`, type: 'integer' },
} as const;
const encoded = (text: string): string => Buffer.from(text).toString('base64url');
const isTaken = (sort: string, cursor: string): boolean => {
  try {
    keyset({ sort, cursor }, SORTABLE);
    return true;
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'validation_failed');
    assert.deepEqual(
      error.errors!.map(({ path, code }) => [path, code]),
      [['/cursor', 'invalid']],
    );
    return false;
  }
};

test('the cursor of a page leads to the next', () => {
  for (const [sort, value, written] of [
    ['-id', 7, 7],
    ['at', new Date('2026-02-28T23:59:59.999Z'), '2026-02-28T23:59:59.999Z'],
    ['-name', '“é” 👩‍🚀 \u2028', '“é” 👩‍🚀 \u2028'],
    ['score', -3, -3],
  ] as const) {
    const page = keyset({ sort, limit: 1 }, SORTABLE);
    const rows = [7, 8].map((id) => ({ id, sort_value: value }));
    const { nextCursor } = page.toPage(rows, ({ id }) => id).page;
    assert.equal(nextCursor, encoded(JSON.stringify([sort, written, 7])));
    assert.ok(isTaken(sort, nextCursor), sort);
  }
});

test('a cursor that this service cannot have written for the order is refused', () => {
  const impossible: Record<string, string[]> = {
    '-id': ['1.5', '1e300', '"1"', 'null', 'true', '{}', '[1]', '9007199254740993', 'NaN', '1e0', '1.0', '-0', ' 1'],
    at: [
      '"2026-02-31T00:00:00.000Z"',
      '"2026-13-01T00:00:00.000Z"',
      '"2026-01-01T24:00:00.000Z"',
      '"2026-01-01T00:00:00Z"',
      '"2026-01-01T00:00:00.000+00:00"',
      '"300000-01-01T00:00:00.000Z"',
      '"+300000-01-01T00:00:00.000Z"',
      '"+010000-01-01T00:00:00.000Z"',
      '"-000001-01-01T00:00:00.000Z"',
      '"0000-01-01T00:00:00.000Z"',
      '"infinity"',
      '"NaN"',
      '""',
      '0',
      'null',
    ],
    name: ['"\\u0000"', '"\\ud800"', '1', 'null', '["a"]', '"\\u0061"'],
    score: ['2147483648', '-2147483649', '"1"'],
  };
  for (const [sort, values] of Object.entries(impossible))
    for (const value of values)
      assert.equal(isTaken(sort, encoded(`["${sort}",${value},1]`)), false, `${sort} ${value}`);
  const right = encoded('["-id",1,1]');
  assert.ok(isTaken('-id', right));
  for (const cursor of [
    `${right}!`,
    `${right}=`,
    ` ${right}`,
    right.slice(0, -1),
    encoded('["-id",1,"1"]'),
    encoded('["-id",1,1,1]'),
    encoded('["-id",1]'),
    encoded('["id",1,1]'),
    encoded('["-id", 1,1]'),
    encoded('{"0":"-id","1":1,"2":1}'),
    encoded('null'),
    '',
    'x',
  ])
    assert.equal(isTaken('-id', cursor), false, cursor);
});
