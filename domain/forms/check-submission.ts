import type { FormField } from '../../db/entities/forms.ts';
import { checkValue } from './checks/check-value.ts';
import type { SubmittedValue } from './checks/checked-field.ts';
import { messageOf, type Problem } from './checks/messages.ts';
import { patternOf } from './patterns.ts';

/** An error of a submitted field; forms have their own error format. */
export interface FieldError {
  field: string;
  code: string;
  /** In English. */
  message: string;
  /** For a message in another language; errors that other rules find have none. */
  problem?: Problem;
}

const truthy = new Set(['true', 'on', '1', 'yes']);

/** Converts a value from a browser or program to the stored form: text, a list for multiselect, or a boolean. */
function readValue(field: FormField, given: unknown): SubmittedValue | null | FieldError {
  const wrong = (message: string): FieldError => ({ field: field.name, code: 'type', message });
  if (given === undefined || given === null || given === '')
    return field.type === 'checkbox' || field.type === 'consent' ? false : null;
  if (field.type === 'multiselect') {
    const list = Array.isArray(given) ? given : [given];
    return list.every((item) => typeof item === 'string') ? list : wrong('must be a list of strings');
  }
  if (field.type === 'checkbox' || field.type === 'consent') {
    return typeof given === 'boolean'
      ? given
      : typeof given === 'string'
        ? truthy.has(given.toLowerCase())
        : wrong('must be true or false');
  }
  if (typeof given === 'number' && Number.isFinite(given))
    return field.type === 'number' || field.type === 'rating' ? given : String(given);
  if (typeof given !== 'string') return wrong('must be a string');
  if (given.includes('\0')) return wrong('must not contain NUL characters');
  const text = given.trim();
  return text === '' ? null : text;
}

const matchesPattern = (pattern: string, text: string): boolean => patternOf(pattern).matches(text);

/**
 * Checks a submission against all of its form's fields. Returns the values to store, or every error. Ignores unknown
 * fields, because pages and proxies add their own.
 */
export function checkSubmission(
  fields: readonly FormField[],
  data: Record<string, unknown>,
): { values: Record<string, SubmittedValue>; errors: FieldError[] } {
  const values: Record<string, SubmittedValue> = {};
  const errors: FieldError[] = [];
  for (const field of fields) {
    const value = readValue(field, Object.hasOwn(data, field.name) ? data[field.name] : undefined);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      errors.push(value);
      continue;
    }
    const problem = checkValue(field, value, matchesPattern);
    if (problem) errors.push({ field: field.name, code: problem.code, message: messageOf(problem, 'en'), problem });
    else if (value !== null) values[field.name] = value;
  }
  return { values, errors };
}
