import type { FormField } from '../../db/entities/forms.ts';
import { longestOf } from './checks/lengths.ts';

/** A character takes up to 12 bytes: four bytes of UTF-8 as `%F0`, or a surrogate pair as `\\ud83d`. */
const CHARACTER_BYTES = 12;
/** The overhead of a value: quotation marks and commas, or a part's delimiter and header. */
const AROUND_BYTES = 300;

/** The length of the longest value that a field accepts, in characters; files have limits of their own. */
function valueLength(field: FormField): number {
  if (field.type === 'file') return 0;
  const lengths = (field.options ?? []).map((option) => option.value.length);
  if (field.type === 'multiselect') return lengths.reduce((sum, length) => sum + length, 0);
  if (field.type === 'select' || field.type === 'radio') return Math.max(0, ...lengths);
  return longestOf(field);
}

/** The maximum size in bytes of a submission in which every field has its longest value, in the longest encoding. */
export function submissionBytes(fields: readonly FormField[]): number {
  return fields.reduce((sum, field) => {
    const values = field.type === 'multiselect' ? (field.options?.length ?? 0) : 1;
    return sum + CHARACTER_BYTES * (valueLength(field) + values * field.name.length) + values * AROUND_BYTES;
  }, 0);
}
