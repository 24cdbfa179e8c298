import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { HELD_UNTIL } from './held.ts';

/** An email that a send request of ours names. */
export interface NamedEmail {
  tenantId: string;
  emailId: number;
}

/**
 * Lets senders take QUEUED emails, in the engine transaction `tx`; those of an email campaign while it is SENDING alone.
 * Answers the named ones that do not exist; for the others a repeated request, or one for an email that has gone on,
 * changes nothing.
 */
export async function acceptEmails(tx: EntityManager, named: readonly NamedEmail[]): Promise<NamedEmail[]> {
  if (named.length === 0) return [];
  const payload = JSON.stringify(named.map(({ tenantId, emailId }) => ({ tenant_id: tenantId, id: emailId })));
  const asked = sql`jsonb_to_recordset(${payload}::jsonb) as a(tenant_id text, id bigint)`;
  await rows(tx, sql`
    update emails e set accepted_at = now(), updated_at = now(), next_attempt_at = case when e.next_attempt_at = ${HELD_UNTIL} then now() else e.next_attempt_at end
    from (select m.id from ${asked} join emails m on m.tenant_id = a.tenant_id and m.id = a.id
          left join email_campaigns k on m.lane = 'bulk' and k.tenant_id = m.tenant_id and k.id = m.campaign_id
          where m.status = 'QUEUED' and m.accepted_at is null and (m.lane <> 'bulk' or k.status = 'SENDING') order by m.id for update of m) f
    where e.id = f.id`);
  const missing = await rows<{ tenant_id: string; id: number }>(tx, sql`
    select a.tenant_id, a.id from ${asked} where not exists (select 1 from emails m where m.tenant_id = a.tenant_id and m.id = a.id)`);
  return missing.map((row) => ({ tenantId: row.tenant_id, emailId: row.id }));
}
