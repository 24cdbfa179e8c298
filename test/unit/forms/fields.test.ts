import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import type { CustomFieldTypes } from '../../../domain/contact-values/custom-field-types.ts';
import { checkFields, mappedFields, normaliseFields, type FormFieldInput } from '../../../domain/forms/fields.ts';

const text = (name: string, more: Partial<FormFieldInput> = {}): FormFieldInput => ({
  name,
  label: name,
  type: 'text',
  ...more,
});
const email = text('email', { type: 'email' });
const customFields: CustomFieldTypes = new Map([
  ['shoe', { type: 'number' }],
  ['plan', { type: 'string' }],
]);
const problems = (...args: [FormFieldInput[], before?: Parameters<typeof checkFields>[1]]) =>
  checkFields(args[0], args[1] ?? [], customFields).map(({ path, code }) => `${path} ${code}`);
/** With a field for the address behind them. */
const pathsOf = (fields: FormFieldInput[], before?: Parameters<typeof checkFields>[1]) =>
  problems([...fields, email], before);

test('violations point at the field and its property', () => {
  assert.deepEqual(
    pathsOf([
      text('a'),
      text('a'),
      text('b', { type: 'select' }),
      text('c', { mapTo: 'status' }),
      text('d', { minLength: 5, maxLength: 4 }),
      text('e', { validationRegex: '(' }),
      text('f', { validationRegex: '(?=x)' }),
      text('g', { mapTo: 'phone' }),
      text('h', { mapTo: 'phone' }),
      text('i', { id: 7 }),
    ]),
    [
      '/fields/1/name duplicate',
      '/fields/2/options required',
      '/fields/3/mapTo enum',
      '/fields/4/minLength out_of_range',
      '/fields/8/mapTo duplicate',
      '/fields/9/id read_only',
      '/fields/5/validationRegex format',
      '/fields/6/validationRegex format',
    ],
  );
});

test('only numbers and ratings have a range, from its least to its greatest value', () => {
  assert.deepEqual(
    pathsOf([
      text('a', { min: 1 }),
      text('b', { type: 'number', min: 2.5, max: 2 }),
      text('c', { type: 'number', min: -1, max: -1 }),
      text('d', { type: 'rating', min: 0, max: 11 }),
      text('e', { type: 'rating', max: 5 }),
      text('f', { min: null, max: null }),
    ]),
    [
      '/fields/0/min not_allowed',
      '/fields/1/min out_of_range',
      '/fields/3/min out_of_range',
      '/fields/3/max out_of_range',
    ],
  );
});

test('fields are kept in displayOrder, and their ids for good', () => {
  const first = normaliseFields([text('last', { displayOrder: 9 }), text('a'), text('b')]);
  assert.deepEqual(
    first.map(({ name }) => name),
    ['a', 'b', 'last'],
  );
  assert.deepEqual(first.map(({ id }) => id).sort(), [1, 2, 3]);
  const idOf = (name: string) => first.find((field) => field.name === name)!.id;
  const renamed = first.map((field) => (field.name === 'a' ? { ...field, name: 'anew' } : field));
  assert.deepEqual(pathsOf(renamed, first), []);
  assert.deepEqual(
    normaliseFields(renamed, first).map(({ id, name }) => [id, name]),
    [
      [idOf('a'), 'anew'],
      [idOf('b'), 'b'],
      [idOf('last'), 'last'],
    ],
  );
  // Names alone keep ids too; a name that moved to another id does not take its old one along.
  assert.equal(normaliseFields([text('b'), text('x')], first)[0]!.id, idOf('b'));
  const swapped = normaliseFields([text('b', { id: idOf('a') }), text('x'), text('a')], first);
  assert.equal(new Set(swapped.map(({ id }) => id)).size, 3);
  assert.deepEqual(pathsOf([text('a', { id: idOf('a') }), text('b', { id: idOf('a') })], first), [
    '/fields/1/id read_only',
  ]);
});

test('a custom field is filled by mapTo alone, once, and has to be there', () => {
  assert.deepEqual(pathsOf([text('a', { mapTo: 'customFields.shoe' }), text('b', { mapTo: 'customFields.plan' })]), []);
  assert.deepEqual(
    pathsOf([
      text('a', { mapTo: 'customFields.hat' }),
      text('b', { mapTo: 'customFields.' }),
      text('c', { mapTo: 'customFields' }),
      text('d', { mapTo: 'shoe' }),
      text('e', { mapTo: 'customFields.shoe' }),
      text('f', { mapTo: 'customFields.shoe' }),
    ]),
    [
      '/fields/0/mapTo unknown_custom_field',
      '/fields/1/mapTo unknown_custom_field',
      '/fields/2/mapTo enum',
      '/fields/3/mapTo enum',
      '/fields/5/mapTo duplicate',
    ],
  );
  const fields = normaliseFields([
    email,
    text('size', { mapTo: 'customFields.shoe' }),
    text('customFields.plan'),
    text('shoe'),
  ]);
  assert.deepEqual(Object.fromEntries(mappedFields(fields)), { email: 'email', size: 'customFields.shoe' });
});

test('contact fields are filled by mapTo before names, the first email field where none is named', () => {
  const mapped = (...fields: FormFieldInput[]) => Object.fromEntries(mappedFields(normaliseFields(fields)));
  assert.deepEqual(
    mapped(text('email', { type: 'email' }), text('firstName'), text('other'), text('cell', { mapTo: 'phone' })),
    { email: 'email', firstName: 'firstName', cell: 'phone' },
  );
  assert.deepEqual(mapped(text('work', { mapTo: 'email' }), text('email')), { work: 'email' });
  assert.deepEqual(mapped(text('a'), text('b', { type: 'email' }), text('c', { type: 'email' })), { b: 'email' });
});

test('a form has a field for the address, of a type that can be one, and it is required', () => {
  assert.deepEqual(problems([text('note')]), ['/fields required']);
  assert.deepEqual(problems([text('note'), text('email', { type: 'checkbox' })]), ['/fields/1/type enum']);
  assert.deepEqual(problems([text('note', { mapTo: 'email' }), text('email', { type: 'checkbox' })]), []);
  const requiredOf = (...fields: FormFieldInput[]) => normaliseFields(fields).map((field) => field.required);
  assert.deepEqual(requiredOf(text('note'), text('email', { type: 'email', required: false })), [false, true]);
  assert.deepEqual(requiredOf(text('work', { mapTo: 'email' }), text('email')), [true, false]);
  assert.deepEqual(requiredOf(text('a', { type: 'email' }), text('b', { type: 'email' })), [true, false]);
});

test('patterns of a form may not cost more than a submission may take', () => {
  const patterns = (validationRegex: string, count: number, more: Partial<FormFieldInput> = {}) =>
    pathsOf(Array.from({ length: count }, (_, n) => text(`f${n}`, { validationRegex, ...more })));
  assert.deepEqual(patterns('[A-Z]{2}\\d{6,8}', 30), []);
  assert.deepEqual(patterns('(\\pL{1,1000}|x)*y', 99), ['/fields/0/validationRegex too_complex']);
  assert.deepEqual(
    patterns('(\\pL{1,100}|x)*y', 99),
    ['/fields/2/validationRegex too_complex'],
    'together they cost too much',
  );
  assert.deepEqual(patterns('(\\pL{1,100}|x)*y', 99, { maxLength: 20 }), []);
  assert.deepEqual(patterns('(\\pL{1,100}|x)*y', 1, { type: 'textarea', maxLength: 10_000 }), [
    '/fields/0/validationRegex too_complex',
  ]);
});
