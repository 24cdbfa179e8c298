import { pgError } from '../../../db/errors.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { ContactValues } from './contact-values.ts';
import { optionalSql, optionalValues } from './optional-fields.ts';
import { suppressedStatuses } from './suppressed-statuses.ts';

/**
 * Inserts a contact and returns its id; null if the address is taken (waits for a concurrent insert of the same
 * address). If the address is suppressed, the suppression determines the status. The company is set afterwards
 * (`setCompany`): all code locks a contact before its company, to avoid deadlocks.
 */
export async function insertContact(
  tx: EntityManager,
  tenantId: string,
  values: ContactValues & { email: string; emailKey: string },
): Promise<number | null> {
  const status =
    (await suppressedStatuses(tx, tenantId, [values.emailKey])).get(values.emailKey) ?? values.status ?? 'active';
  const custom = Object.fromEntries(Object.entries(values.customFields ?? {}).filter(([, value]) => value !== null));
  const now = new Date();
  const [made] = await rows<{ id: number }>(
    tx,
    sql`
    insert into contacts (tenant_id, first_name, last_name, email, email_key, phone, phone_e164, status, tags, custom_fields,
      ${sql.raw(optionalSql((column) => column))}, created_at, updated_at)
    values (${tenantId}, ${values.firstName ?? ''}, ${values.lastName ?? ''}, ${values.email}, ${values.emailKey},
      ${values.phone ?? null}, ${values.phoneE164 ?? null}, ${status}, ${values.tags ?? []}::text[], ${JSON.stringify(custom)}::jsonb,
      ${sql.join(Object.values(optionalValues(values)))}, ${now}, ${now})
    on conflict (tenant_id, email_key) do nothing returning id`,
  );
  return made?.id ?? null;
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
