import validator from 'validator';
import type { FormField } from '../../db/entities/forms.ts';
import { fileError, type SentFile } from './files/check-file.ts';
import { longestOf, patternOf } from './patterns.ts';

/** An error of a submitted field; forms have their own error format. */
export interface FieldError {
  field: string;
  code: string;
  message: string;
}

export type SubmittedValue = string | number | boolean | string[];

type Check = (text: string, field: FormField) => { code: string; message: string } | null;

const matches =
  (pattern: RegExp, message: string): Check =>
  (text) =>
    pattern.test(text) ? null : { code: 'format', message };
const NOT_AN_OPTION = { code: 'not_an_option', message: 'is not one of the options' };
const inOptions: Check = (text, field) =>
  field.options?.some((option) => option.value === text) ? null : NOT_AN_OPTION;
/** Checks that the day exists: the date parser turns 30 February into a day in March. */
const isDay = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
};

const checks: Partial<Record<FormField['type'], Check>> = {
  email: (text) =>
    validator.isEmail(text, { allow_utf8_local_part: true }) && text.length <= 255
      ? null
      : { code: 'format', message: 'is not an email address' },
  url: (text) =>
    validator.isURL(text, { protocols: ['http', 'https'], require_protocol: true, require_tld: false })
      ? null
      : { code: 'format', message: 'is not a web address' },
  number: (text) =>
    /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) && Number.isFinite(Number(text))
      ? null
      : { code: 'format', message: 'is not a number' },
  rating: matches(/^(10|[1-9])$/, 'is not a rating from 1 to 10'),
  phone: matches(/^[+\d(][\d ()./-]{2,48}$/, 'is not a phone number'),
  date: (text) => (isDay(text) ? null : { code: 'format', message: 'is not a date (YYYY-MM-DD)' }),
  time: matches(/^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?$/, 'is not a time (HH:MM)'),
  datetime: (text) =>
    /^.{10}T\d{2}:\d{2}/.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
      ? null
      : { code: 'format', message: 'is not a date and time' },
  // The library also accepts lower case.
  country: (text) =>
    /^[A-Z]{2}$/.test(text) && validator.isISO31661Alpha2(text)
      ? null
      : { code: 'format', message: 'is not a country code (ISO 3166-1 alpha-2)' },
  select: inOptions,
  radio: inOptions,
};

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

function checkValue(field: FormField, value: SubmittedValue): { code: string; message: string } | null {
  if (Array.isArray(value)) {
    const options = new Set(field.options?.map((option) => option.value));
    return value.every((item) => options.has(item)) ? null : NOT_AN_OPTION;
  }
  if (typeof value === 'boolean') return null;
  const text = String(value);
  const longest = longestOf(field);
  // A character has one or two UTF-16 units, so very long texts need not be counted.
  const length = text.length > 2 * longest ? Infinity : [...text].length;
  if (length > longest) return { code: 'too_long', message: `has more than ${longest} characters` };
  if (field.minLength !== null && length < field.minLength)
    return { code: 'too_short', message: `has fewer than ${field.minLength} characters` };
  if (field.validationRegex && !patternOf(field.validationRegex).matches(text))
    return { code: 'format', message: 'does not match the required format' };
  return checks[field.type]?.(text, field) ?? null;
}

/**
 * Checks a submission against all of its form's fields. Returns the values to store, without files, or every error.
 * Ignores unknown fields, because pages and proxies add their own.
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
    const missing = value === null || value === false || (Array.isArray(value) && value.length === 0);
    if (missing && field.required) errors.push({ field: field.name, code: 'required', message: 'is required' });
    if (value === null) continue;
    const problem = missing ? null : checkValue(field, value);
    if (problem) errors.push({ field: field.name, ...problem });
    else values[field.name] = value;
  }
  return { values, errors };
}
