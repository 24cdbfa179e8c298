import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** A contact of any tenant. */
export interface ContactRef {
  tenantId: string;
  id: number;
}

/** Those of these contacts that are active. Engine `tx`. */
export function activeAmong(tx: EntityManager, contacts: readonly ContactRef[]): Promise<ContactRef[]> {
  const payload = JSON.stringify(contacts.map(({ tenantId, id }) => ({ tenant_id: tenantId, id })));
  return rows<ContactRef>(
    tx,
    sql`
    select c.tenant_id as "tenantId", c.id from jsonb_to_recordset(${payload}::jsonb) as r(tenant_id text, id bigint)
    join contacts c on c.tenant_id = r.tenant_id and c.id = r.id where c.status = 'active' order by c.id`,
  );
}
