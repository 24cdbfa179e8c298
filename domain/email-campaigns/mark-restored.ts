import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { isNoYounger, isOfCopy } from '../addresses/row-age.ts';

/** That an email of a campaign was sent, as an event told after the copy was taken to which Postgres was put back. */
export interface ToldCampaign {
  tenantId: string;
  id: number;
  /** RFC 3339. The last time. */
  at: string;
}

/** When the run `run` of a campaign `k` began; null before the first. `started_at` is of the first. */
const begunAt = sql`
  case when k.run <= 1 then k.started_at else coalesce((
    select min(e.created_at) from emails e
    where e.tenant_id = k.tenant_id and e.campaign_id = k.id and e.lane = 'bulk'
      and e.send_key like 'email-campaign:' || k.id || ':' || k.run || ':%'), k.started_at) end`;

/** Whether the run `run` of `k` is on its way; else the next one is to come. */
const hasBegun = sql`k.status in ('SENDING', 'PAUSED') and k.next_run_at is null`;

/**
 * Notes for email campaigns which run may have been sent since the copy to which Postgres was put back: the one that is
 * being sent, the one whose time has come, and the next one of campaigns of which an event told. What is still to be
 * written of its audience becomes UNKNOWN. If `since` names the time of the copy, runs that began after it are the
 * campaign's own, and so is what events told of it. Returns how many. Engine `tx`.
 */
export async function markCampaignsRestored(
  tx: EntityManager,
  told: readonly ToldCampaign[],
  since: Date | null,
): Promise<number> {
  const payload = JSON.stringify(told.map(({ tenantId, ...one }) => ({ ...one, tenant_id: tenantId })));
  const marked = await rows(
    tx,
    sql`
    update email_campaigns k set restored_run = case when ${hasBegun} then run else run + 1 end
    where (k.run = 0 or ${isOfCopy(begunAt, since)}) and (
      ${hasBegun}
      or k.status = 'SCHEDULED' and k.next_run_at <= coalesce(${since?.toISOString() ?? null}::timestamptz, now())
      or k.status in ('DRAFT', 'SCHEDULED', 'PAUSED') and exists (
        select 1 from jsonb_to_recordset(${payload}::jsonb) as r(tenant_id text, id bigint, at timestamptz)
        where r.tenant_id = k.tenant_id and r.id = k.id and ${isNoYounger(sql`k.created_at`, sql`r.at`)}))
    returning k.id`,
  );
  return marked.length;
}
