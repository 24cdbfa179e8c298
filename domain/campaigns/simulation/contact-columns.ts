import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { ContactFields } from '../../contact-values/apply-values.ts';
import { OPTIONAL_FIELDS, OPTIONAL_NAMES, selectOptional } from '../../contact-values/optional-fields.ts';
import type { Traveller } from './traveller.ts';

/** Reads the fields of these contacts, unless an earlier step has. */
export async function readFields(tx: EntityManager, tenantId: string, travellers: readonly Traveller[]): Promise<void> {
  const unread = new Map(travellers.filter(({ fields }) => !fields).map((one) => [one.contactId, one]));
  if (unread.size === 0) return;
  const found = await rows<ContactFields & { id: number }>(
    tx,
    sql`
    select id, first_name as "firstName", last_name as "lastName", email, email_key as "emailKey", created_email as "createdEmail",
      phone, phone_e164 as "phoneE164", company_id as "companyId", status, tags, custom_fields as "customFields", ${sql.raw(selectOptional(''))}
    from contacts where tenant_id = ${tenantId} and id = any(${[...unread.keys()]}::bigint[])`,
  );
  for (const { id, ...fields } of found) unread.get(id)!.fields = { ...fields, changedAt: null };
}

/** Changed fields as columns of `contacts`. */
export function contactColumns(fields: NonNullable<Traveller['fields']>): Record<string, unknown> {
  return {
    first_name: fields.firstName,
    last_name: fields.lastName,
    phone: fields.phone ?? null,
    phone_e164: fields.phoneE164 ?? null,
    company_id: fields.companyId ?? null,
    tags: fields.tags,
    custom_fields: fields.customFields,
    updated_at: fields.changedAt,
    ...Object.fromEntries(OPTIONAL_NAMES.map((name) => [OPTIONAL_FIELDS[name].column, fields[name] ?? null])),
  };
}
