import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/**
 * Notes for email campaigns which run may have been sent since the copy to which Postgres was put back: the one that is
 * being sent, the one whose time has come, and that of campaigns of which an event told. What is still to be written of
 * its audience becomes UNKNOWN. Returns how many. Engine `tx`.
 */
export async function markCampaignsRestored(
  tx: EntityManager,
  told: readonly { tenantId: string; id: number }[],
): Promise<number> {
  const payload = JSON.stringify(told.map(({ tenantId, id }) => ({ tenant_id: tenantId, id })));
  const marked = await rows(
    tx,
    sql`
    update email_campaigns k set restored_run = case when status in ('SENDING', 'PAUSED') then run else run + 1 end
    where status in ('SENDING', 'PAUSED') or status = 'SCHEDULED' and next_run_at <= now()
      or status in ('DRAFT', 'SCHEDULED') and exists (
        select 1 from jsonb_to_recordset(${payload}::jsonb) as r(tenant_id text, id bigint) where r.tenant_id = k.tenant_id and r.id = k.id)
    returning id`,
  );
  return marked.length;
}
