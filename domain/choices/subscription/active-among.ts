import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { isNoYounger } from '../../addresses/row-age.ts';

/** A contact of any tenant, and when its status changed since the copy was taken, as events told (RFC 3339). */
export interface ChangedContact {
  tenantId: string;
  id: number;
  times: string[];
}

/**
 * Those of these contacts that are active in the copy and were not any more: their status changed an odd number of
 * times. Changes of before the contact was made are those of another, who had its id. Engine `tx`.
 */
export function activeAmong(tx: EntityManager, contacts: readonly ChangedContact[]): Promise<ChangedContact[]> {
  const payload = JSON.stringify(contacts.map(({ tenantId, ...one }) => ({ ...one, tenant_id: tenantId })));
  return rows<ChangedContact>(
    tx,
    sql`
    select c.tenant_id as "tenantId", c.id, r.times
    from jsonb_to_recordset(${payload}::jsonb) as r(tenant_id text, id bigint, times text[])
    join contacts c on c.tenant_id = r.tenant_id and c.id = r.id
    where c.status = 'active' and (
      select count(*) from unnest(r.times::timestamptz[]) as changed(at) where ${isNoYounger(sql`c.created_at`, sql`changed.at`)}) % 2 = 1
    order by c.id`,
  );
}
