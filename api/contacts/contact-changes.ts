import { isDeepStrictEqual } from 'node:util';
import type { Static } from 'typebox';
import type { ContactInput } from '../../domain/contact-values/contact-values.ts';
import { changedCustomFields } from '../../domain/contact-values/custom-values.ts';
import { COMPANY_TWICE } from '../../domain/contact-values/resolve-company.ts';
import type { Violation } from '../../lib/checks/errors.ts';
import type { ValidPart } from '../../lib/checks/valid-part.ts';
import type { ContactView } from './presenter.ts';
import type { ContactUpdate } from './schema.ts';

/** Reads return `company` as an object, which cannot be written. */
const COMPANY_OBJECT: Violation = {
  path: '/company',
  code: 'read_only',
  message: 'is not the company of the contact; to change it, give companyId, or company as a name',
};

/**
 * The part of a PUT that differs from the current representation, so that a GET response can always be PUT back. A
 * different company object, and a company name together with an id, are violations.
 */
export function contactChanges(
  body: ValidPart<Static<typeof ContactUpdate>>,
  shown: ContactView,
): { input: ContactInput; violations: Violation[] } {
  const changed = Object.fromEntries(
    Object.entries(body).filter(([name, value]) => !isDeepStrictEqual(value, shown[name as keyof ContactView])),
  ) as typeof body;
  if (changed.customFields) changed.customFields = changedCustomFields(changed.customFields, shown.customFields);
  const isTwice = typeof body.company === 'string' && body.company.trim() !== '' && typeof body.companyId === 'number';
  const { company, ...rest } = changed;
  if (typeof company === 'object' && company !== null) return { input: rest, violations: [COMPANY_OBJECT] };
  return { input: company === undefined ? rest : { ...rest, company }, violations: isTwice ? [COMPANY_TWICE] : [] };
}
