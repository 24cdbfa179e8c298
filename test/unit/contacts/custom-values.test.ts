import assert from 'node:assert/strict';
import { test } from '@jest/globals';
import {
  checkCustomValue,
  parseCustomText,
  type CustomFieldType,
} from '../../../domain/contact-values/custom-values.ts';
import { isViolation } from '../../../domain/common/fields.ts';

const outcome = (value: unknown): unknown => (isViolation(value) ? `! ${value.code}` : value);
const size: CustomFieldType = { type: 'enum', options: ['S', 'M'] };

test('a text is read as the type of its custom field', () => {
  const cases: [CustomFieldType, string, unknown][] = [
    [{ type: 'string' }, ' two\nlines ', 'two\nlines'],
    [{ type: 'string' }, '  ', null],
    [{ type: 'string' }, 'a\0', '! invalid_character'],
    [{ type: 'string' }, 'x'.repeat(5_001), '! too_long'],
    [{ type: 'number' }, ' 1234.50 ', 1234.5],
    [{ type: 'number' }, '-.5e2', -50],
    [{ type: 'number' }, '007', 7],
    [{ type: 'number' }, '1,234', '! invalid_number'],
    [{ type: 'number' }, '1e999', '! invalid_number'],
    [{ type: 'number' }, 'NaN', '! invalid_number'],
    [{ type: 'number' }, '0x10', '! invalid_number'],
    [{ type: 'boolean' }, 'TRUE', true],
    [{ type: 'boolean' }, 'no', false],
    [{ type: 'boolean' }, '1', true],
    [{ type: 'boolean' }, 'Y', true],
    [{ type: 'boolean' }, ' x ', true],
    [{ type: 'boolean' }, 'on', true],
    [{ type: 'boolean' }, 'WAHR', true],
    [{ type: 'boolean' }, 'off', false],
    [{ type: 'boolean' }, 'Fałsz', false],
    [{ type: 'boolean' }, 'maybe', '! invalid_boolean'],
    [{ type: 'date' }, '2024-02-29', '2024-02-29'],
    [{ type: 'date' }, '2023-02-29', '! invalid_date'],
    [{ type: 'date' }, '31.12.2024', '! invalid_date'],
    [{ type: 'date' }, '2024-1-1', '! invalid_date'],
    [size, 'M', 'M'],
    [size, 'm', '! invalid_option'],
    [{ type: 'enum' }, 'M', '! invalid_option'],
  ];
  for (const [field, text, expected] of cases)
    assert.equal(outcome(parseCustomText(field, text)), expected, `${field.type} ${text}`);
});

test('JSON values must have the type of their custom field', () => {
  const cases: [CustomFieldType, unknown, unknown][] = [
    [{ type: 'number' }, 5, 5],
    [{ type: 'number' }, '5', '! invalid_number'],
    [{ type: 'number' }, Infinity, '! invalid_number'],
    [{ type: 'boolean' }, false, false],
    [{ type: 'boolean' }, 0, '! invalid_boolean'],
    [{ type: 'string' }, 5, '! invalid_type'],
    [{ type: 'string' }, ['a'], '! invalid_type'],
    [{ type: 'date' }, 5, '! invalid_date'],
    [size, null, null],
    [{ type: 'string' }, '', null],
  ];
  for (const [field, value, expected] of cases)
    assert.equal(outcome(checkCustomValue(field, value)), expected, `${field.type} ${String(value)}`);
});
