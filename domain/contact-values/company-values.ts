import type { Violation } from '../../lib/checks/errors.ts';
import { checkCustomFields, type CustomFieldType, type CustomValue } from './custom-values.ts';
import { cleanText, isViolation } from '../common/fields.ts';
import { companyNameKey } from './find-or-create-company.ts';

/** Maximum lengths in characters. */
export const COMPANY_LIMITS = { name: 255, domain: 255, industry: 100, address: 2000 } as const;
export const MAX_EMPLOYEES = 2_147_483_647;

/** A company's fields in a request: absent = unchanged, null or '' = cleared. */
export interface CompanyInput {
  name?: string | null;
  domain?: string | null;
  industry?: string | null;
  employeeCount?: number | null;
  address?: string | null;
  customFields?: Record<string, unknown> | null;
}

export interface CompanyValues {
  name?: string;
  nameKey?: string;
  domain?: string | null;
  industry?: string | null;
  employeeCount?: number | null;
  address?: string | null;
  /** Merged by key; null clears a value, or all of them. */
  customFields?: Record<string, CustomValue | null> | null;
}

/** Normalises a company's fields and returns every violation. */
export function checkCompanyValues(
  input: CompanyInput,
  customFields: ReadonlyMap<string, CustomFieldType>,
): { values: CompanyValues; violations: Violation[] } {
  const violations: Violation[] = [];
  const values: CompanyValues = input.employeeCount === undefined ? {} : { employeeCount: input.employeeCount };
  if (input.customFields !== undefined) {
    values.customFields = checkCustomFields(input.customFields, customFields, (path, { code, message }) =>
      violations.push({ path, code, message }),
    );
  }
  for (const field of ['name', 'domain', 'industry', 'address'] as const) {
    const given = input[field];
    if (given === undefined) continue;
    const text = cleanText(given ?? '', COMPANY_LIMITS[field], { multiline: field === 'address' });
    if (isViolation(text)) violations.push({ path: `/${field}`, code: text.code, message: text.message });
    else if (field !== 'name') values[field] = text;
    else if (text === null) violations.push({ path: '/name', code: 'required', message: 'must not be empty' });
    else Object.assign(values, { name: text, nameKey: companyNameKey(text) });
  }
  return { values, violations };
}
