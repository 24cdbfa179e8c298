import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** The key that a company is found by: its name trimmed, in NFC and lower case. */
export const companyNameKey = (name: string): string => name.trim().normalize('NFC').toLowerCase();

/**
 * The company of this name, ignoring case, or a new one. Concurrent calls for the same name wait for this transaction,
 * so that they create only one. If several companies have the name (they can be created explicitly), returns the
 * oldest.
 */
export async function findOrCreateCompany(tx: EntityManager, tenantId: string, name: string): Promise<number> {
  const key = companyNameKey(name);
  await rows(tx, sql`select pg_advisory_xact_lock(hashtext('company-name'), hashtext(${`${tenantId}/${key}`}))`);
  const [found] = await rows<{ id: number }>(
    tx,
    sql`
    select id from companies where tenant_id = ${tenantId} and name_key = ${key} order by id limit 1 for share`,
  );
  if (found) return found.id;
  const now = new Date();
  const [made] = await rows<{ id: number }>(
    tx,
    sql`
    insert into companies (tenant_id, name, name_key, created_at, updated_at)
    values (${tenantId}, ${name.trim().normalize('NFC')}, ${key}, ${now}, ${now}) returning id`,
  );
  return made!.id;
}
