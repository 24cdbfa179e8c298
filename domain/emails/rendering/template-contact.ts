import { sql } from '../../../db/orm.ts';
import type { CompanyValues, ContactValues } from './template-values.ts';

/** What templates may print of a contact, and its columns. */
const CONTACT = {
  id: 'id',
  firstName: 'first_name',
  lastName: 'last_name',
  email: 'email',
  phone: 'phone',
  phoneE164: 'phone_e164',
  jobTitle: 'job_title',
  status: 'status',
  tags: 'tags',
  customFields: 'custom_fields',
  timezone: 'timezone',
  locale: 'locale',
  source: 'source',
  companyId: 'company_id',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
} as const;
/** The same of its company. */
const COMPANY = {
  id: 'id',
  name: 'name',
  domain: 'domain',
  industry: 'industry',
  employeeCount: 'employee_count',
  address: 'address',
  customFields: 'custom_fields',
} as const;

/** A row that has `contactColumns`; other columns have no colon in their names. */
export type ContactRow = Record<`${'c' | 'o'}:${string}`, unknown>;

const selected = (alias: 'c' | 'o', fields: Record<string, string>): string =>
  Object.entries(fields)
    .map(([field, column]) => `${alias}.${column} as "${alias}:${field}"`)
    .join(', ');

/** The columns of a contact `c` (left-joined) and its company `o`. Plain ones: made into JSON by Postgres they cost it three times as much. */
export const contactColumns = sql.raw(`${selected('c', CONTACT)}, ${selected('o', COMPANY)}`);

function valuesOf(row: ContactRow, alias: 'c' | 'o', fields: readonly string[]): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of fields) {
    const value = row[`${alias}:${field}`];
    // As the API writes times.
    values[field] = value instanceof Date ? value.toISOString() : value;
  }
  return values;
}

const [contactFields, companyFields] = [Object.keys(CONTACT), Object.keys(COMPANY)];

/** The contact of a row with `contactColumns`, as templates see it; null where there is none. */
export function contactOf(row: ContactRow): ContactValues | null {
  if (row['c:id'] === null) return null;
  const company = row['o:id'] === null ? null : (valuesOf(row, 'o', companyFields) as CompanyValues);
  return { ...valuesOf(row, 'c', contactFields), company };
}

/** Looked up one by one, whatever the planner knows of the table. */
export const companyJoin = sql`left join lateral (select * from companies where tenant_id = c.tenant_id and id = c.company_id offset 0) o on true`;

/** The name that a contact's mail is addressed to; null when there is none. */
export function recipientName(contact: ContactValues | null): string | null {
  const parts = [contact?.['firstName'], contact?.['lastName']].filter(
    (part) => typeof part === 'string' && part !== '',
  );
  return parts.length > 0 ? parts.join(' ') : null;
}
