import type { FormField } from '../../db/entities/forms.ts';
import { checkValue } from './checks/check-value.ts';
import type { SubmittedValue } from './checks/checked-field.ts';
import { messageOf, type Problem } from './checks/messages.ts';
import { fileError, type SentFile } from './files/check-file.ts';
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

/** Types whose value is a number. */
const NUMERIC: readonly FormField['type'][] = ['number', 'rating'];

/** Converts a value from a browser or program to the stored form: text, a list without repeats for multiselect, or a boolean. */
function readValue(field: FormField, given: unknown): SubmittedValue | null | FieldError {
  const wrong = (message: string): FieldError => ({ field: field.name, code: 'type', message });
  if (given === undefined || given === null || given === '') return null;
  if (field.type === 'multiselect') {
    const list = Array.isArray(given) ? given : [given];
    return list.every((item) => typeof item === 'string') ? [...new Set(list)] : wrong('must be a list of strings');
  }
  if (field.type === 'checkbox' || field.type === 'consent') {
    return typeof given === 'boolean'
      ? given
      : typeof given === 'string'
        ? truthy.has(given.toLowerCase())
        : wrong('must be true or false');
  }
  if (typeof given === 'number' && Number.isFinite(given)) return NUMERIC.includes(field.type) ? given : String(given);
  if (typeof given !== 'string') return wrong('must be a string');
  if (given.includes('\0')) return wrong('must not contain NUL characters');
  const text = given.trim();
  return text === '' ? null : text;
}

/** So many digits, and all shorter numbers, are the same again after a conversion. */
const MAX_DIGITS = 15;

/**
 * A value in its stored form. Pages send numbers as texts: they become numbers too, unless something would be lost that
 * may matter, as of the customer number 007, of +49 and of a number with 20 digits.
 */
function stored({ type }: FormField, value: SubmittedValue): SubmittedValue {
  if (typeof value !== 'string' || !NUMERIC.includes(type)) return value;
  const digits = value.replace(/e.*$/i, '').replace(/\D/g, '');
  return /^(\+|-?0\d)/.test(value) || digits.length > MAX_DIGITS ? value : Number(value);
}

const matchesPattern = (pattern: string, text: string): boolean => patternOf(pattern).matches(text);

/** A file field has a value only as a file. */
function checkFileField(
  field: FormField,
  given: unknown,
  files: readonly SentFile[],
): { code: string; message: string } | null {
  const sent = files.filter((file) => file.field === field.name);
  if (given !== undefined && given !== null && given !== '')
    return { code: 'type', message: 'must be sent as a file, as multipart/form-data' };
  if (sent.length === 0) return field.required ? { code: 'required', message: 'is required' } : null;
  return fileError(field, sent);
}

/**
 * Checks a submission against all of its form's fields. Returns the values to store, without files, or every error. A
 * field without a value is not answered: it has no value then, boxes neither. Ignores unknown fields, because pages and
 * proxies add their own.
 */
export function checkSubmission(
  fields: readonly FormField[],
  data: Record<string, unknown>,
  files: readonly SentFile[] = [],
): { values: Record<string, SubmittedValue>; errors: FieldError[] } {
  const values: Record<string, SubmittedValue> = {};
  const errors: FieldError[] = [];
  for (const field of fields) {
    const given = Object.hasOwn(data, field.name) ? data[field.name] : undefined;
    if (field.type === 'file') {
      const problem = checkFileField(field, given, files);
      if (problem) errors.push({ field: field.name, ...problem });
      continue;
    }
    const value = readValue(field, given);
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      errors.push(value);
      continue;
    }
    const problem = checkValue(field, value, matchesPattern);
    if (problem) errors.push({ field: field.name, code: problem.code, message: messageOf(problem, 'en'), problem });
    else if (value !== null) values[field.name] = stored(field, value);
  }
  return { values, errors };
}
