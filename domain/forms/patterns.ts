import { LRUCache } from 'lru-cache';
import { RE2JS } from 're2js';
import type { FormField } from '../../db/entities/forms.ts';
import { longestOf } from './checks/lengths.ts';

type Patterned = Partial<Pick<FormField, 'validationRegex' | 'maxLength'>>;

/**
 * The limit for one submission of a form, in instructions times characters: about 50 ms for the worst text, during
 * which the event loop is blocked.
 */
export const MAX_COST = 500_000;

const compiled = new LRUCache<string, RE2JS>({ max: 1000 });

/** The compiled pattern, in RE2 syntax, which matches in linear time. Throws if it does not compile. */
export function patternOf(source: string): RE2JS {
  let pattern = compiled.get(source);
  if (!pattern) compiled.set(source, (pattern = RE2JS.compile(source)));
  return pattern;
}

/** The cost of matching the longest text. Throws if the pattern does not compile. */
export function costOf(field: Patterned): number {
  return field.validationRegex ? patternOf(field.validationRegex).programSize() * longestOf(field) : 0;
}
