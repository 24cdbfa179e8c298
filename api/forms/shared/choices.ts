import type { PublicField } from './definition.ts';

export type Options = readonly { value: string; label: string }[];

const MAX_RATING = 10;

/** The choices of a field that is shown as a group of boxes or buttons: its options, or the ratings in its range. */
export function choicesOf({ type, options, min, max }: Pick<PublicField, 'type' | 'options' | 'min' | 'max'>): Options {
  if (type !== 'rating') return options ?? [];
  return Array.from({ length: MAX_RATING }, (_, index) => String(index + 1))
    .filter((value) => Number(value) >= (min ?? 1) && Number(value) <= (max ?? MAX_RATING))
    .map((value) => ({ value, label: value }));
}

/** Whether a field is shown as a group, with a legend instead of a label. */
export const isGroup = (type: string): boolean => ['radio', 'multiselect', 'rating'].includes(type);
