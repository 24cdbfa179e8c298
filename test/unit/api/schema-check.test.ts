import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from '@jest/globals';
import fc from 'fast-check';
import { Type } from 'typebox';
import type { AppError } from '../../../lib/checks/errors.ts';
import { assertValid, MAX_VIOLATIONS } from '../../../lib/checks/errors.ts';
import { hashRequest } from '../../../domain/idempotency/hash-request.ts';
import { checkContent, compileRequest } from '../../../lib/checks/schema-check.ts';

const nested = Type.Object(
  {
    list: Type.Optional(
      Type.Array(
        Type.Object(
          { a: Type.Integer(), b: Type.Union([Type.Integer(), Type.Null()]) },
          { additionalProperties: false },
        ),
      ),
    ),
  },
  { additionalProperties: false },
);

test('a check stops at as many violations as are told of', () => {
  const check = compileRequest(nested);
  const names = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`a${n}`, 1]));
  assert.equal(check(names).length, MAX_VIOLATIONS);
  let looked = 0;
  const rows = Array.from({ length: 50_000 }, () => ({
    get a() {
      looked += 1;
      return 'x';
    },
    b: 1,
  }));
  assert.ok(check({ list: rows }).length <= MAX_VIOLATIONS);
  assert.ok(looked < 3 * MAX_VIOLATIONS, `it looked at ${looked}`);
  // What one branch of a choice refuses and another takes does not count.
  assert.deepEqual(check({ list: Array.from({ length: 30_000 }, () => ({ a: 1, b: null })) }), []);
});

test('a date-time is as RFC 3339 says, and no longer than one can be', () => {
  const check = compileRequest(Type.String({ format: 'date-time' }));
  const fraction = (digits: number) => `2030-01-31T09:30:00.${'1'.repeat(digits)}Z`;
  for (const right of ['2030-01-31T09:30:00Z', '2030-01-31t09:30:00.123456789+05:45', fraction(60)]) {
    assert.deepEqual(check(right), [], right);
  }
  for (const wrong of ['2030-01-31', '2030-02-31T09:30:00Z', '2030-01-31T09:30:00', fraction(1000), ' '.repeat(1000)]) {
    assert.equal(check(wrong)[0]!.code, 'format', wrong);
  }
});

test('what is wrong says what would be right, and never that it must be null', () => {
  const time = Type.String({ pattern: '^[0-9]{2}:[0-9]{2}$', 'x-form': 'a time such as 09:00' });
  const window = Type.Object({ from: time }, { additionalProperties: false });
  const check = compileRequest(
    Type.Object({
      at: Type.Optional(Type.String({ format: 'date-time' })),
      moment: Type.Optional(Type.String({ format: 'moment' })),
      window: Type.Optional(Type.Union([window, Type.Null()])),
      name: Type.Optional(Type.Unsafe({ type: ['string', 'null'] })),
    }),
  );
  const said = (value: object): string[] => check(value).map(({ path, message }) => `${path} ${message}`);
  assert.deepEqual(said({ at: '2030-01-31' }), [
    '/at must be a date-time with its offset (RFC 3339), such as 2030-01-31T09:30:00Z',
  ]);
  for (const right of ['2030-01-31', '2030-01-31T09:30:00+01:00']) assert.deepEqual(said({ moment: right }), []);
  for (const wrong of ['2030-02-31', '2030-1-1', 'today'])
    assert.match(said({ moment: wrong })[0]!, /^\/moment must be a date such as 2030-01-31/, wrong);
  assert.deepEqual(said({ window: { from: '9:00' } }), ['/window/from must be a time such as 09:00']);
  assert.deepEqual(said({ window: 5 }), ['/window must be object']);
  assert.deepEqual(said({ window: null }), []);
  assert.deepEqual(said({ name: 5 }), ['/name must be string or null']);
  assert.deepEqual(
    compileRequest(Type.Null())(5).map(({ message }) => message),
    ['must be null'],
  );
});

test('content is told of by its place, up to a length that an answer can hold', () => {
  const found = checkContent({ 'a/b': [{ 'c~': ['\0'] }], ok: ['x', 1, null], '\ud800': 1 });
  assert.deepEqual(found.map(({ path, code }) => `${path.toWellFormed()} ${code}`).sort(), [
    '/a~1b/0/c~0/0 invalid_character',
    '/\ufffd invalid_character',
  ]);
  const long = checkContent({ ['n'.repeat(1_000_000)]: Array.from({ length: 20_000 }, () => '\0') });
  assert.equal(long.length, MAX_VIOLATIONS);
  assert.ok(JSON.stringify(long).length < 5_000_000);
  assert.throws(
    () =>
      assertValid(Array.from({ length: 30_000 }, () => ({ path: `/${'p'.repeat(5000)}`, code: 'x', message: 'y' }))),
    (error: AppError) =>
      error.errors!.length === MAX_VIOLATIONS &&
      error.errors![0]!.path.length < 300 &&
      error.message.startsWith('10000 problems or more'),
  );
});

/** What a request's hash is of, written in the plainest way. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  return `{${Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`)
    .join()}}`;
}

test('the hash of a request is that of its JSON with the names in order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (body) => {
      const expected = createHash('sha256')
        .update(canonical([{ id: '1' }, { q: 'x' }, body ?? {}, []]))
        .digest('base64url');
      assert.equal(await hashRequest({ params: { id: '1' }, query: { q: 'x' }, body, files: [] }), expected);
    }),
  );
});
