import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import type { FormField } from '../../db/entities/forms.ts';

type Patterned = Partial<Pick<FormField, 'validationRegex' | 'maxLength'>>;

/** The longest text of any field, and of a field with a pattern that names no length of its own, in characters. */
export const MAX_TEXT = 10_000;
const MAX_MATCHED = 1000;
/** Instructions times characters that one submission of a form may cost: half of a tenth of a second for the worst text, in which nothing else runs. */
export const MAX_COST = 500_000;

const compiled = new LRUCache<string, RE2JS>({ max: 1000 });

/** The pattern, in RE2 syntax, which matches in linear time. Throws when it does not compile. */
export function patternOf(source: string): RE2JS {
  let pattern = compiled.get(source);
  if (!pattern) compiled.set(source, (pattern = RE2JS.compile(source)));
  return pattern;
}

/** The most characters that a field takes. */
export function longestOf({ validationRegex, maxLength }: Patterned): number {
  return Math.min(maxLength ?? (validationRegex ? MAX_MATCHED : MAX_TEXT), MAX_TEXT);
}

/** What matching the longest text may cost. Throws when the pattern does not compile. */
export function costOf(field: Patterned): number {
  return field.validationRegex ? patternOf(field.validationRegex).programSize() * longestOf(field) : 0;
}
