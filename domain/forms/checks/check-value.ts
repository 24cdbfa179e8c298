import type { CheckedField, SubmittedValue } from './checked-field.ts';
import { FORMATS, isFormat } from './formats.ts';
import { longestOf } from './lengths.ts';
import type { Problem } from './messages.ts';

/** Whether a whole text matches a pattern in RE2 syntax. */
export type PatternMatcher = (pattern: string, text: string) => boolean;

const NOT_AN_OPTION: Problem = { code: 'not_an_option', message: 'option' };
const CHOICES = ['select', 'radio'];

/**
 * Checks the value of a field: null if there is none. The server and the browser run the same checks; each has its own
 * engine for patterns.
 */
export function checkValue(field: CheckedField, value: SubmittedValue | null, matches: PatternMatcher): Problem | null {
  if (value === null || value === false || (Array.isArray(value) && value.length === 0))
    return field.required ? { code: 'required', message: 'required' } : null;
  if (value === true) return null;
  const options = new Set((field.options ?? []).map((option) => option.value));
  if (Array.isArray(value)) return value.every((item) => options.has(item)) ? null : NOT_AN_OPTION;
  const text = String(value);
  const problem = checkText(field, text, matches);
  if (problem) return problem;
  if (CHOICES.includes(field.type)) return options.has(text) ? null : NOT_AN_OPTION;
  if (!isFormat(field.type)) return null;
  if (!FORMATS[field.type](text)) return { code: 'format', message: field.type };
  return field.type === 'number' || field.type === 'rating' ? checkRange(field, Number(text)) : null;
}

function checkText(field: CheckedField, text: string, matches: PatternMatcher): Problem | null {
  const longest = longestOf(field);
  // A character has one or two UTF-16 units, so very long texts need not be counted.
  const length = text.length > 2 * longest ? Infinity : [...text].length;
  if (length > longest) return { code: 'too_long', message: 'long', limit: longest };
  if (field.minLength !== null && length < field.minLength)
    return { code: 'too_short', message: 'short', limit: field.minLength };
  return field.validationRegex && !matches(field.validationRegex, text) ? { code: 'format', message: 'pattern' } : null;
}

function checkRange({ min, max }: CheckedField, value: number): Problem | null {
  if (min != null && value < min) return { code: 'out_of_range', message: 'min', limit: min };
  if (max != null && value > max) return { code: 'out_of_range', message: 'max', limit: max };
  return null;
}
