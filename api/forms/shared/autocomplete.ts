import type { PublicField } from './definition.ts';

const BY_TYPE: Record<string, string> = { email: 'email', phone: 'tel', url: 'url', country: 'country' };
const BY_CONTACT_FIELD: Record<string, string> = {
  email: 'email',
  firstName: 'given-name',
  lastName: 'family-name',
  phone: 'tel',
  company: 'organization',
  jobTitle: 'organization-title',
};

/** The autofill token of a field, by its type or by the contact field that it fills; null if there is none. */
export function autocompleteOf({ type, mapTo, name }: Pick<PublicField, 'type' | 'mapTo' | 'name'>): string | null {
  return (BY_TYPE[type] ?? (type === 'text' && BY_CONTACT_FIELD[mapTo || name])) || null;
}
