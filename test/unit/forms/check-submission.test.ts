import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import type { FormField } from '../../../db/entities/forms.ts';
import { checkSubmission } from '../../../domain/forms/check-submission.ts';
import { normaliseFields } from '../../../domain/forms/fields.ts';

const field = (type: FormField['type'], more: Partial<FormField> = {}) =>
  normaliseFields([{ name: 'f', label: 'F', type, ...more }]);
const codeOf = (fields: FormField[], value: unknown) =>
  checkSubmission(fields, value === undefined ? {} : { f: value })
    .errors.map(({ code }) => code)
    .join();
const valueOf = (fields: FormField[], value: unknown) => checkSubmission(fields, { f: value }).values['f'];
const options = [
  { value: 'a', label: 'A' },
  { value: 'b', label: 'B' },
];

const cases: [FormField['type'], unknown[], unknown[]][] = [
  ['email', ['someone@example.com'], ['nobody', '@example.com', `${'x'.repeat(250)}@example.com`]],
  [
    'url',
    ['https://example.com/a?b=c', 'http://localhost'],
    ['javascript:alert(1)', 'example.com', 'ftp://example.com'],
  ],
  ['number', ['0', '-1.5', '1e3', 7, '.5'], ['', 'x', '0x10', 'Infinity', '1,5', '1e999'].slice(1)],
  ['rating', ['1', '10', 5], ['0', '11', '1.5']],
  ['phone', ['+49 30 1234567', '(555) 123-4567', '030/123'], ['call me', '12']],
  ['date', ['2024-02-29', '2026-12-31'], ['2026-02-29', '2026-02-30', '2026-13-01', '31.12.2026', '2026-1-1']],
  ['time', ['00:00', '23:59:59'], ['24:00', '9:00']],
  [
    'datetime',
    ['2026-02-28T10:00', '2026-02-28T10:00:00Z'],
    ['2026-02-30T10:00', '2026-02-28T25:00', '2026-02-28', 'tomorrow'],
  ],
  ['country', ['DE', 'PL', 'SS', 'CW'], ['Germany', 'de', 'XX', 'ZZ', 'UK', 'EU', 'XK', 'AA']],
  ['select', ['a'], ['c', 'A']],
  ['radio', ['b'], ['x']],
  ['multiselect', [['a', 'b'], 'a'], [['a', 'c']]],
];
for (const [type, good, bad] of cases) {
  test(`what a field of type ${type} takes`, () => {
    const fields = field(type, { options });
    for (const value of good) assert.equal(codeOf(fields, value), '', JSON.stringify(value));
    for (const value of bad) assert.match(codeOf(fields, value), /^(format|not_an_option)$/, JSON.stringify(value));
  });
}

test('a number is stored as a number, whichever way it came, unless digits would be lost', () => {
  for (const [given, value] of [
    ['5', 5],
    [5, 5],
    ['-1.5', -1.5],
    ['12.50', 12.5],
    ['.5', 0.5],
    ['0', 0],
    ['0.25', 0.25],
    ['1e3', 1000],
    ['999999999999999', 999999999999999],
    ['+4930', '+4930'],
    ['007', '007'],
    ['-01', '-01'],
    ['12345678901234567890', '12345678901234567890'],
    ['0.1234567890123456', '0.1234567890123456'],
  ])
    assert.strictEqual(valueOf(field('number'), given), value, JSON.stringify(given));
  assert.strictEqual(valueOf(field('rating'), '7'), 7);
  assert.strictEqual(valueOf(field('rating'), 7), 7);
  assert.strictEqual(valueOf(field('text'), '5'), '5');
  assert.strictEqual(valueOf(field('text'), 5), '5');
  assert.strictEqual(valueOf(field('select', { options: [{ value: '5', label: 'Five' }] }), '5'), '5');
});

test('a required field is asked for, an optional one may be empty', () => {
  for (const empty of [undefined, null, '', '  ']) {
    assert.equal(codeOf(field('text', { required: true }), empty), 'required');
    assert.equal(codeOf(field('text', { minLength: 3 }), empty), '');
  }
  assert.equal(codeOf(field('multiselect', { options, required: true }), []), 'required');
  for (const no of [undefined, false, 'false', 'off', ''])
    assert.equal(codeOf(field('consent', { required: true }), no), 'required');
  for (const yes of [true, 'true', 'on', 'YES', '1'])
    assert.equal(valueOf(field('consent', { required: true }), yes), true);
  for (const type of ['checkbox', 'consent', 'multiselect'] as const)
    assert.deepEqual(checkSubmission(field(type, { options }), {}), { values: {}, errors: [] }, 'is not answered');
  assert.deepEqual(checkSubmission(field('checkbox'), { f: false }), { values: { f: false }, errors: [] });
});

test('lengths count characters, not code units, and hold for every text', () => {
  const fields = field('text', { minLength: 2, maxLength: 3 });
  assert.equal(codeOf(fields, 'a'), 'too_short');
  assert.equal(codeOf(fields, '🙂🙂🙂'), '');
  assert.equal(codeOf(fields, 'abcd'), 'too_long');
  assert.equal(codeOf(field('textarea'), 'x'.repeat(10_001)), 'too_long');
});

test('a pattern is for the whole text, and takes linear time', () => {
  const fields = field('text', { validationRegex: '[a-z]+\\d' });
  assert.equal(codeOf(fields, 'abc1'), '');
  assert.equal(codeOf(fields, 'abc12'), 'format');
  const before = process.threadCpuUsage();
  assert.equal(codeOf(field('text', { validationRegex: '(a+)+b', maxLength: 5000 }), 'a'.repeat(5000)), 'format');
  assert.ok(process.threadCpuUsage(before).user < 2_000_000);
});

test('values of another shape are an error of their field, never more', () => {
  for (const value of [{}, [['x']], [1], Number.NaN, 'a\0b'])
    assert.equal(codeOf(field('text'), value), 'type', JSON.stringify(value));
  assert.equal(codeOf(field('checkbox'), []), 'type');
  assert.equal(codeOf(field('multiselect', { options }), [1]), 'type');
});

test('every error is told, fields of others are ignored, and names of objects are names like others', () => {
  const fields = normaliseFields([
    { name: 'constructor', label: 'C', type: 'text', required: true },
    { name: 'email', label: 'E', type: 'email' },
  ]);
  const { errors, values } = checkSubmission(fields, { email: 'x', other: 1 });
  assert.deepEqual(
    errors.map(({ field: name, code }) => [name, code]),
    [
      ['constructor', 'required'],
      ['email', 'format'],
    ],
  );
  assert.deepEqual(values, {});
});

test('a field with a pattern takes 1000 characters, unless it says how many', () => {
  assert.equal(codeOf(field('textarea', { validationRegex: 'a+' }), 'a'.repeat(1000)), '');
  assert.equal(codeOf(field('textarea', { validationRegex: 'a+' }), 'a'.repeat(1001)), 'too_long');
  assert.equal(codeOf(field('textarea', { validationRegex: 'a+', maxLength: 2000 }), 'a'.repeat(2000)), '');
});
