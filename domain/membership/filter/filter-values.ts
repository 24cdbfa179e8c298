import type { Violation } from '../../../lib/checks/errors.ts';
import type { FieldOperator, FieldSpec, FieldType } from './filter-fields.ts';
import { instantRange, parseDate } from '../../../lib/time/instants.ts';

const MAX_TEXT = 1000;
const MAX_LIST = 1000;
export const MAX_DAYS = 36_500;

const EXPECTED: Record<FieldType, string> = {
  string: `a string of 1 to ${MAX_TEXT} characters`,
  email: `a string of 1 to ${MAX_TEXT} characters`,
  tags: `a string of 1 to ${MAX_TEXT} characters`,
  enum: 'one of the values of the field',
  number: 'a number within ±(2^53 - 1)',
  id: 'an id, an integer from 1 to 2^53 - 1',
  membership: 'the id of a segment or list',
  boolean: 'true or false',
  date: 'a date, YYYY-MM-DD',
  datetime: 'an RFC 3339 date-time with its offset, or a date YYYY-MM-DD',
};

// Postgres stores neither NUL nor a lone surrogate.
function isText(value: unknown): value is string {
  if (typeof value !== 'string' || value.length < 1 || value.length > MAX_TEXT) return false;
  return !value.includes('\0') && value.isWellFormed();
}

function fits(type: FieldType, value: unknown): boolean {
  switch (type) {
    case 'number':
      return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
    case 'id':
    case 'membership':
      return Number.isSafeInteger(value) && (value as number) >= 1;
    case 'boolean':
      return typeof value === 'boolean';
    case 'date':
      return typeof value === 'string' && parseDate(value) !== null;
    case 'datetime':
      return typeof value === 'string' && instantRange(value) !== null;
    default:
      return isText(value);
  }
}

function checkScalar(spec: FieldSpec, value: unknown, path: string): Violation[] {
  if (!fits(spec.type, value)) return [{ path, code: 'type', message: `must be ${EXPECTED[spec.type]}` }];
  if (spec.values && !spec.values.includes(value as string)) {
    const values = spec.values.length === 0 ? '(there is none)' : spec.values.slice(0, 20).join(', ');
    return [{ path, code: 'enum', message: `must be one of ${values}` }];
  }
  return [];
}

function checkList(spec: FieldSpec, value: unknown, path: string): Violation[] {
  if (!Array.isArray(value) || value.length < 1 || value.length > MAX_LIST) {
    return [{ path, code: 'type', message: `must be a list of 1 to ${MAX_LIST} values` }];
  }
  return value.flatMap((item: unknown, index) => checkScalar(spec, item, `${path}/${index}`));
}

function asNumber(type: FieldType, value: string | number): number {
  return type === 'number' ? Number(value) : instantRange(String(value))!.from.getTime();
}

function checkRange(spec: FieldSpec, value: unknown, path: string): Violation[] {
  if (!Array.isArray(value) || value.length !== 2) {
    return [{ path, code: 'type', message: 'must be a list of two values, the lower first' }];
  }
  const [low, high] = value as [string | number, string | number];
  const violations = [...checkScalar(spec, low, `${path}/0`), ...checkScalar(spec, high, `${path}/1`)];
  if (violations.length > 0 || asNumber(spec.type, low) <= asNumber(spec.type, high)) return violations;
  return [{ path, code: 'range', message: 'must have the lower value first' }];
}

/** The violations of a field leaf's value; the operator is already known to fit the field's type. */
export function checkValue(spec: FieldSpec, operator: FieldOperator, value: unknown, path: string): Violation[] {
  switch (operator) {
    case 'exists':
    case 'notExists':
      if (value === undefined || value === null || value === true) return [];
      return [{ path, code: 'invalid', message: `is not allowed for ${operator}` }];
    case 'in':
    case 'notIn':
      return checkList(spec, value, path);
    case 'between':
      return checkRange(spec, value, path);
    case 'withinLastDays':
      if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= MAX_DAYS) return [];
      return [{ path, code: 'type', message: `must be a whole number of days, 1 to ${MAX_DAYS}` }];
    default:
      return value === undefined
        ? [{ path, code: 'required', message: `is required for ${operator}` }]
        : checkScalar(spec, value, path);
  }
}
