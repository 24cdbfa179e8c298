import type { ContactFields } from './apply-values.ts';
import type { ContactValues } from './contact-values.ts';

/** Whether a value says nothing. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Whether a value that was set by a box of a form says only that the box was not ticked, which is no answer. */
export const isUnticked = (value: unknown): boolean => value === false || value === 'false';

const NO_BOXES: ReadonlySet<string> = new Set();

/** The values for fields that are empty. `boxes` are the fields (`x`, `customFields.x`) that boxes of a form set. */
export function onlyEmpty(contact: ContactFields, values: ContactValues, boxes = NO_BOXES): ContactValues {
  const fields = contact as unknown as Record<string, unknown>;
  const isFree = (field: string, value: unknown): boolean => isEmpty(value) || (boxes.has(field) && isUnticked(value));
  const kept = Object.entries(values).filter(
    ([name]) => name !== 'customFields' && isFree(name, fields[name === 'phoneE164' ? 'phone' : name]),
  );
  const custom = Object.entries(values.customFields ?? {}).filter(
    ([name]) =>
      !Object.hasOwn(contact.customFields, name) || isFree(`customFields.${name}`, contact.customFields[name]),
  );
  return { ...Object.fromEntries(kept), ...(custom.length > 0 ? { customFields: Object.fromEntries(custom) } : {}) };
}
