import type { ContactFields } from './apply-values.ts';
import type { ContactValues } from './contact-values.ts';

/** Whether a value says nothing. */
export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** The values for fields that are empty. */
export function onlyEmpty(contact: ContactFields, values: ContactValues): ContactValues {
  const fields = contact as unknown as Record<string, unknown>;
  const kept = Object.entries(values).filter(
    ([name]) => name !== 'customFields' && isEmpty(fields[name === 'phoneE164' ? 'phone' : name]),
  );
  const custom = Object.entries(values.customFields ?? {}).filter(
    ([name]) => !Object.hasOwn(contact.customFields, name) || isEmpty(contact.customFields[name]),
  );
  return { ...Object.fromEntries(kept), ...(custom.length > 0 ? { customFields: Object.fromEntries(custom) } : {}) };
}
