import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import type { ContactInput } from '../../domain/contacts/contact-values.ts';
import { changedCustomFields } from '../../domain/contacts/custom-values.ts';
import { COMPANY_TWICE } from '../../domain/contacts/resolve-company.ts';
import { assertValid } from '../../domain/errors.ts';
import type { ContactView } from './presenter.ts';
import type { ContactUpdate } from './schema.ts';

/**
 * What of a PUT differs from the contact as it is shown: what GET answered can be put back, whatever it holds. Refuses a
 * company object that is another one, and a company's name beside an id.
 */
export function contactChanges(body: Static<typeof ContactUpdate>, shown: ContactView): ContactInput {
  const changed = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !isDeepStrictEqual(value, shown[name as keyof ContactView])),
  ) as typeof body;
  if (changed.customFields) changed.customFields = changedCustomFields(changed.customFields, shown.customFields);
  if (typeof body.company === 'string' && body.company.trim() !== '' && typeof body.companyId === 'number') {
    assertValid([COMPANY_TWICE]);
  }
  const { company, ...rest } = changed;
  if (typeof company === 'object' && company !== null) {
    assertValid([{ path: '/company', code: 'read_only', message: 'is another company than the contact has: give companyId, or company as a name' }]);
    return rest;
  }
  return company === undefined ? rest : { ...rest, company };
}
