import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import { FORM_FIELD_TYPES } from '../../../db/entities/forms.ts';
import type { CustomFieldTypes } from '../../../domain/contact-values/custom-field-types.ts';
import type { FormFieldInput } from '../../../domain/forms/fields.ts';
import { unfillableProblems } from '../../../domain/forms/unfillable.ts';

const customFields: CustomFieldTypes = new Map([
  ['size', { type: 'number' }],
  ['news', { type: 'boolean' }],
  ['born', { type: 'date' }],
  ['plan', { type: 'enum', options: ['free', 'pro'] }],
  ['land', { type: 'enum', options: ['DE', 'AT'] }],
  ['agreed', { type: 'enum', options: ['true', 'false'] }],
  ['note', { type: 'string' }],
]);
const field = (mapTo: string, type: FormFieldInput['type'], more: Partial<FormFieldInput> = {}): FormFieldInput => ({
  name: 'f',
  label: 'F',
  type,
  mapTo,
  ...more,
});
const problems = (one: FormFieldInput, before: FormFieldInput[] = []) =>
  unfillableProblems([one, { name: 'email', label: 'Email', type: 'email' }], before, customFields);
const pathsOf = (one: FormFieldInput) => problems(one).map(({ path, code }) => `${path} ${code}`);

test('an input whose every value the contact field refuses can not fill it', () => {
  const types = FORM_FIELD_TYPES.filter((type) => !['select', 'radio', 'multiselect', 'file'].includes(type));
  const fitting = (target: string, more: Partial<FormFieldInput> = {}) =>
    types.filter((type) => pathsOf(field(target, type, more)).length === 0).sort();
  const text = ['hidden', 'text', 'textarea'];
  assert.deepEqual(fitting('customFields.size'), [...text, 'number', 'phone', 'rating'].sort());
  assert.deepEqual(fitting('customFields.news'), [...text, 'checkbox', 'consent', 'number', 'rating'].sort());
  assert.deepEqual(fitting('customFields.news', { min: 2 }), [...text, 'checkbox', 'consent'].sort());
  assert.deepEqual(fitting('customFields.born'), [...text, 'date', 'phone'].sort());
  assert.deepEqual(fitting('customFields.plan'), text);
  assert.deepEqual(fitting('customFields.land'), [...text, 'country'].sort());
  assert.deepEqual(fitting('customFields.agreed'), [...text, 'checkbox', 'consent'].sort());
  assert.deepEqual(fitting('timezone'), text);
  assert.deepEqual(fitting('locale'), [...text, 'country'].sort());
  for (const target of ['customFields.note', 'firstName', 'company', 'phone', 'jobTitle'])
    assert.deepEqual(fitting(target), [...types].sort(), target);
});

test('the violation names the field, the contact field and what that takes', () => {
  assert.deepEqual(problems(field('customFields.plan', 'checkbox')), [
    {
      path: '/fields/0/mapTo',
      code: 'not_allowed',
      message:
        'nobody could submit the form: the field f fills customFields.plan (enum), which must be one of free, pro, and the type checkbox sends true or false',
    },
  ]);
  assert.deepEqual(problems(field('customFields.born', 'datetime')), [
    {
      path: '/fields/0/mapTo',
      code: 'not_allowed',
      message:
        'nobody could submit the form: the field f fills customFields.born (date), which must be a date such as 2025-12-31, and the type datetime has no value that it takes',
    },
  ]);
  // By its name, too.
  assert.deepEqual(pathsOf({ name: 'timezone', label: 'Agree', type: 'consent' }), ['/fields/0/name not_allowed']);
});

test('every option is one that the contact field takes', () => {
  const options = (...values: string[]) => values.map((value) => ({ value, label: value }));
  const choice = (target: string, ...values: string[]) =>
    pathsOf(field(target, 'select', { options: options(...values) }));
  assert.deepEqual(choice('customFields.plan', 'free', 'pro'), []);
  assert.deepEqual(choice('customFields.plan', 'free', 'gold', 'Pro'), [
    '/fields/0/options/1/value not_allowed',
    '/fields/0/options/2/value not_allowed',
  ]);
  assert.deepEqual(choice('customFields.size', '1', '2.5', 'large'), ['/fields/0/options/2/value not_allowed']);
  assert.deepEqual(choice('timezone', 'Europe/Berlin', 'Berlin'), ['/fields/0/options/1/value not_allowed']);
  assert.deepEqual(choice('firstName', 'x'.repeat(101)), ['/fields/0/options/0/value not_allowed']);
  assert.deepEqual(choice('customFields.note', 'anything'), []);
});

test('a box has to be taken ticked, and unticked unless it must be ticked', () => {
  const types: CustomFieldTypes = new Map([['yes', { type: 'enum', options: ['true'] }]]);
  const box = (required: boolean) =>
    unfillableProblems([field('customFields.yes', 'checkbox', { required })], [], types).length;
  assert.deepEqual([box(true), box(false)], [0, 1]);
});

test('a hidden value and a minimum length have to fit, too', () => {
  assert.deepEqual(pathsOf(field('customFields.plan', 'hidden', { defaultValue: 'gold' })), [
    '/fields/0/defaultValue not_allowed',
  ]);
  assert.deepEqual(pathsOf(field('customFields.plan', 'hidden', { defaultValue: 'pro' })), []);
  assert.deepEqual(pathsOf(field('firstName', 'text', { minLength: 101 })), ['/fields/0/minLength out_of_range']);
  assert.deepEqual(pathsOf(field('firstName', 'text', { minLength: 100 })), []);
});

test('what was so before can be put back, and nothing else', () => {
  const before = field('customFields.plan', 'checkbox');
  assert.deepEqual(problems({ ...before, label: 'Plan' }, [before]), []);
  assert.equal(problems({ ...before, type: 'consent' }, [before]).length, 1);
});
