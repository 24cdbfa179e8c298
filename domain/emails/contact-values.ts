import { sql } from '../../db/orm.ts';
import type { ContactValues } from './template-values.ts';

/** As the API writes times. */
const TIMESTAMP = sql.lit('YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

/** What templates may print of a contact `c` (left-joined) and its company `o`, as one JSON column `contact`. */
export const contactColumn = sql`case when c.id is not null then jsonb_build_object(
  'id', c.id, 'firstName', c.first_name, 'lastName', c.last_name, 'email', c.email, 'phone', c.phone, 'phoneE164', c.phone_e164,
  'jobTitle', c.job_title, 'status', c.status, 'tags', c.tags, 'customFields', c.custom_fields, 'timezone', c.timezone,
  'locale', c.locale, 'source', c.source, 'companyId', c.company_id,
  'createdAt', to_char(c.created_at at time zone 'UTC', ${TIMESTAMP}), 'updatedAt', to_char(c.updated_at at time zone 'UTC', ${TIMESTAMP}), 'company', case when o.id is not null then jsonb_build_object(
    'id', o.id, 'name', o.name, 'domain', o.domain, 'industry', o.industry, 'employeeCount', o.employee_count,
    'address', o.address, 'customFields', o.custom_fields) end) end as contact`;

/** Looked up one by one, whatever the planner knows of the table. */
export const companyJoin = sql`left join lateral (select * from companies where tenant_id = c.tenant_id and id = c.company_id offset 0) o on true`;

/** The name that a contact's mail is addressed to; null when there is none. */
export function recipientName(contact: ContactValues | null): string | null {
  const parts = [contact?.['firstName'], contact?.['lastName']].filter((part) => typeof part === 'string' && part !== '');
  return parts.length > 0 ? parts.join(' ') : null;
}
