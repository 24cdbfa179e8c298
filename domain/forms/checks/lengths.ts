import type { CheckedField } from './checked-field.ts';

/** The maximum length of any field in characters; MAX_MATCHED is that of a field with a pattern and no `maxLength`. */
export const MAX_TEXT = 10_000;
const MAX_MATCHED = 1000;

/** The maximum number of characters that a field accepts. */
export function longestOf({ validationRegex, maxLength }: Partial<CheckedField>): number {
  return Math.min(maxLength ?? (validationRegex ? MAX_MATCHED : MAX_TEXT), MAX_TEXT);
}
