import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';

const recordsOf = (pairs: readonly { tenantId: string; id: number }[]) => {
  const asked = [...new Map(pairs.map(({ tenantId: t, id }) => [`${t}/${id}`, { t, id }])).values()];
  return sql`jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as p(t text, id bigint)`;
};

/**
 * Locks contacts in id order until the transaction ends. Lock companies after contacts, and each at once: all processes
 * use this order, which avoids deadlocks. Returns the company of each existing contact by `tenant/contact`.
 */
export async function lockScoredContacts(
  tx: EntityManager,
  contacts: readonly { tenantId: string; id: number }[],
): Promise<Map<string, number | null>> {
  const found = await rows<{ tenantId: string; id: number; companyId: number | null }>(
    tx,
    sql`${preparedHint}
    select c.tenant_id as "tenantId", c.id, c.company_id as "companyId" from contacts c
    join ${recordsOf(contacts)} on c.tenant_id = p.t and c.id = p.id
    order by c.tenant_id, c.id for no key update of c`,
  );
  return new Map(found.map(({ tenantId, id, companyId }) => [`${tenantId}/${id}`, companyId]));
}

/** Locks companies in id order until the transaction ends. */
export async function lockCompanies(
  tx: EntityManager,
  companies: readonly { tenantId: string; id: number }[],
): Promise<void> {
  if (companies.length === 0) return;
  await rows(
    tx,
    sql`${preparedHint}
    select c.id from companies c join ${recordsOf(companies)} on c.tenant_id = p.t and c.id = p.id
    order by c.tenant_id, c.id for no key update of c`,
  );
}
