import { pgError } from '../../db/errors.ts';
import { preparedHint, rows, sql, type EntityManager } from '../../db/orm.ts';
import type { ContactValues } from './contact-values.ts';
import { optionalSql, optionalValues } from './optional-fields.ts';
import { suppressedStatus } from './suppressed-statuses.ts';

/**
 * Inserts a contact, or finds the one that has its address; null if a concurrent transaction has just created it (waits
 * for that). If the address is suppressed, the suppression determines the status. The company is set afterwards
 * (`setCompany`): all code locks a contact before its company, to avoid deadlocks.
 */
export async function insertContact(
  tx: EntityManager,
  tenantId: string,
  values: ContactValues & { email: string; emailKey: string },
): Promise<{ id: number; created: boolean } | null> {
  const { emailKey } = values;
  const custom = Object.fromEntries(Object.entries(values.customFields ?? {}).filter(([, value]) => value !== null));
  const now = new Date();
  const [found] = await rows<{ id: number; created: boolean }>(
    tx,
    sql`${preparedHint}
    with known as materialized (
      select id from contacts where tenant_id = ${tenantId} and email_key = ${emailKey}
    ), made as (
      insert into contacts (tenant_id, first_name, last_name, email, email_key, phone, phone_e164, status, tags, custom_fields,
        ${sql.raw(optionalSql((column) => column))}, created_at, updated_at)
      select ${tenantId}, ${values.firstName ?? ''}, ${values.lastName ?? ''}, ${values.email}, ${emailKey},
        ${values.phone ?? null}, ${values.phoneE164 ?? null},
        coalesce((${suppressedStatus(tenantId, emailKey)}), ${values.status ?? 'active'}),
        ${values.tags ?? []}::text[], ${JSON.stringify(custom)}::jsonb,
        ${sql.join(Object.values(optionalValues(values)))}, ${now}::timestamptz, ${now}::timestamptz
      where not exists (select from known)
      on conflict (tenant_id, email_key) do nothing returning id
    )
    select id, true as created from made union all select id, false from known`,
  );
  return found ?? null;
}

/** Sets the company of a contact that this transaction has inserted. */
export async function setCompany(
  tx: EntityManager,
  tenantId: string,
  id: number,
  companyId: number | null | undefined,
): Promise<void> {
  if (companyId == null) return;
  await rows(tx, sql`update contacts set company_id = ${companyId} where tenant_id = ${tenantId} and id = ${id}`);
}

/** Whether a statement failed because another transaction has created a contact with the same address. */
export const isDuplicateEmail = (error: unknown): boolean => pgError(error)?.constraint === 'contacts_email_key';
