import { sql } from '../../../db/orm.ts';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES } from '../../contact-values/optional-fields.ts';
import type { CompanyValues, ContactValues } from './template-values.ts';

/** The contact fields that templates can use, and their columns. */
const CONTACT = {
  id: 'id',
  firstName: 'first_name',
  lastName: 'last_name',
  email: 'email',
  phone: 'phone',
  phoneE164: 'phone_e164',
  status: 'status',
  tags: 'tags',
  customFields: 'custom_fields',
  ...Object.fromEntries(OPTIONAL_NAMES.map((name) => [name, OPTIONAL_FIELDS[name].column])),
  companyId: 'company_id',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const;
/** The same for its company. */
const COMPANY = {
  id: 'id',
  name: 'name',
  domain: 'domain',
  industry: 'industry',
  employeeCount: 'employee_count',
  address: 'address',
  customFields: 'custom_fields',
} as const;

/** A row with `contactColumns`; other columns have no colon in their names. */
export type ContactRow = Record<`${'c' | 'o'}:${string}`, unknown>;

const selected = (alias: 'c' | 'o', fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([field, column]) => `${alias}.${column} as "${alias}:${field}"`)
    .join(', ');

/**
 * The columns of a contact `c` (left-joined) and its company `o`. Not as JSON, which would cost Postgres three times
 * as much.
 */
export const contactColumns = sql.raw(`${selected('c', CONTACT)}, ${selected('o', COMPANY)}`);

function valuesOf(row: ContactRow, alias: 'c' | 'o', fields: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = row[`${alias}:${field}`];
    // In the API's time format.
    values[field] = value instanceof Date ? value.toISOString() : value;
  }
  return values;
}

const [contactFields, companyFields] = [Object.keys(CONTACT), Object.keys(COMPANY)];

/** The contact in a row with `contactColumns`, as templates see it; null if there is none. */
export function contactOf(row: ContactRow): ContactValues | null {
  if (row['c:id'] === null) return null;
  const company = row['o:id'] === null ? null : (valuesOf(row, 'o', companyFields) as CompanyValues);
  return { ...valuesOf(row, 'c', contactFields), company };
}

/** A lateral join, so that companies are looked up one by one whatever statistics the planner has. */
export const companyJoin = sql`left join lateral (select * from companies where tenant_id = c.tenant_id and id = c.company_id offset 0) o on true`;

/** The recipient's name in the To header; null if the contact has no name. */
export function recipientName(contact: ContactValues | null): string | null {
  const parts = [contact?.['firstName'], contact?.['lastName']].filter(
    (part) => typeof part === 'string' && part !== '',
  );
  return parts.length > 0 ? parts.join(' ') : null;
}
