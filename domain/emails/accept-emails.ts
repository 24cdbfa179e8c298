import { rows, sql, type EntityManager } from '../../db/orm.ts';

/** An email that a send request of ours names. */
export interface NamedEmail {
  tenantId: string;
  emailId: number;
}

/**
 * Lets senders take QUEUED emails, in the engine transaction `tx`. Answers the named ones that do not exist; for the
 * others a repeated request, or one for an email that has gone on, changes nothing.
 */
export async function acceptEmails(tx: EntityManager, named: readonly NamedEmail[]): Promise<NamedEmail[]> {
  if (named.length === 0) return [];
  const payload = JSON.stringify(named.map(({ tenantId, emailId }) => ({ tenant_id: tenantId, id: emailId })));
  const asked = sql`jsonb_to_recordset(${payload}::jsonb) as a(tenant_id text, id bigint)`;
  await rows(tx, sql`
    update emails e set accepted_at = now(), updated_at = now()
    from (select m.id from ${asked} join emails m on m.tenant_id = a.tenant_id and m.id = a.id
          where m.status = 'QUEUED' and m.accepted_at is null order by m.id for update of m) f
    where e.id = f.id`);
  const missing = await rows<{ tenant_id: string; id: number }>(tx, sql`
    select a.tenant_id, a.id from ${asked} where not exists (select 1 from emails m where m.tenant_id = a.tenant_id and m.id = a.id)`);
  return missing.map((row) => ({ tenantId: row.tenant_id, emailId: row.id }));
}
