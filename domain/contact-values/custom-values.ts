import { isDeepStrictEqual } from 'node:util';
import { CONTACT_LIMITS, cleanText } from '../common/fields.ts';
import { isViolation, type Violation } from '../../lib/checks/violation.ts';
import { parseBoolean } from './booleans.ts';

/** The type of a custom field. `options` are the values of an `enum`. */
export interface CustomFieldType {
  readonly type: 'string' | 'number' | 'boolean' | 'date' | 'enum';
  readonly options?: readonly string[];
}

export type CustomValue = string | number | boolean;

const violation = (code: string, message: string): Violation => ({ code, message });
const INVALID_NUMBER = violation('invalid_number', 'must be a number such as 1234.5, without thousands separators');
const INVALID_BOOLEAN = violation('invalid_boolean', 'must be true or false');
const INVALID_DATE = violation('invalid_date', 'must be a date such as 2025-12-31');
const INVALID_TEXT = violation('invalid_type', 'must be a string');

/**
 * Checks a value of a custom field from the API: JSON types, a date as the text `YYYY-MM-DD`. Empty texts become null.
 * Violations: `invalid_type`, `invalid_number`, `invalid_boolean`, `invalid_date`, `invalid_option`, those of
 * `cleanText`.
 */
export function checkCustomValue(field: CustomFieldType, value: unknown): CustomValue | null | Violation {
  if (value === null) return null;
  if (field.type === 'number') return typeof value === 'number' && Number.isFinite(value) ? value : INVALID_NUMBER;
  if (field.type === 'boolean') return typeof value === 'boolean' ? value : INVALID_BOOLEAN;
  if (typeof value !== 'string') return field.type === 'date' ? INVALID_DATE : INVALID_TEXT;
  const text = cleanText(value, CONTACT_LIMITS.customText, { multiline: true });
  if (typeof text !== 'string') return text;
  if (field.type === 'date') return isCalendarDate(text) ? text : INVALID_DATE;
  if (field.type === 'enum' && !field.options?.includes(text)) {
    return violation('invalid_option', 'must be one of the options of the field');
  }
  return text;
}

const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
/**
 * Checks a value of a custom field from a file or form, which is a text. Numbers are written as in JSON (a leading +
 * or zeros are allowed), booleans as true/false, yes/no, 1/0 and the like
 * (`parseBoolean`). Empty texts become null. Violations as in
 * `checkCustomValue`.
 */
export function parseCustomText(field: CustomFieldType, text: string): CustomValue | null | Violation {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (field.type === 'number') return checkCustomValue(field, NUMBER.test(trimmed) ? Number(trimmed) : undefined);
  if (field.type === 'boolean') return checkCustomValue(field, parseBoolean(trimmed));
  return checkCustomValue(field, trimmed);
}

/** Whether a text is a date of the calendar, written as 2025-12-31. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

export const UNKNOWN_CUSTOM_FIELD = violation('unknown_custom_field', 'there is no such custom field');
const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Checks custom fields from the API and passes violations to `refuse`, with paths `/customFields/x`. Null clears all.
 */
export function checkCustomFields(
  given: Record<string, unknown> | null,
  types: ReadonlyMap<string, CustomFieldType>,
  refuse: (path: string, violation: Violation) => void,
): Record<string, CustomValue | null> | null {
  if (given === null) return null;
  const values: [string, CustomValue | null][] = [];
  for (const [name, value] of Object.entries(given)) {
    const type = types.get(name);
    const checked = type ? checkCustomValue(type, value) : UNKNOWN_CUSTOM_FIELD;
    if (isViolation(checked)) refuse(`/customFields/${escapePointer(name)}`, checked);
    else values.push([name, checked]);
  }
  return Object.fromEntries(values);
}

/**
 * The values that differ from the current ones, so that a client can send back what GET returned even if an option was
 * removed.
 */
export function changedCustomFields<T extends Record<string, unknown> | null | undefined>(
  given: T,
  current: Record<string, unknown>,
): T {
  if (given == null) return given;
  return Object.fromEntries(
    Object.entries(given).filter(
      ([name, value]) => !Object.hasOwn(current, name) || !isDeepStrictEqual(value, current[name]),
    ),
  ) as T;
}

/**
 * The custom fields after merging these values by key: a null value clears one field, null instead of values clears
 * all.
 */
export function mergedCustomFields(
  old: Record<string, unknown>,
  given: Record<string, CustomValue | null> | null,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given === null ? {} : { ...old, ...given }).filter(([, value]) => value !== null),
  );
}
