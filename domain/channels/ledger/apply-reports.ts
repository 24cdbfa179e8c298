import { preparedHint, sql, type RawBuilder } from '../../../db/orm.ts';
import { takeNoticesBack } from './opt-out-notices.ts';
import type { LedgerKey } from '../queue/refresh-messages.ts';

/** The send `s` is QUEUED, but a provider may have accepted it, and is asked again under the same key. */
export const isAskedAgain = sql`(s.status = 'QUEUED' and s.bound_provider_id is not null)`;

/**
 * The statement that applies what was reported about sends (by the provider, or by the device), and clicks: statuses only
 * move forward. The messages are locked (`lockMessages`), and refreshed afterwards by the caller. A send that is SENDING
 * is left alone: whoever settles it runs this then. That it was delivered proves that the person has got it, whatever an answer,
 * another report or an operator said before. Everything else settles only what was accepted, or may have been.
 */
export function applyReports(sends: readonly LedgerKey[]): RawBuilder<unknown> {
  const payload = JSON.stringify(sends.map(({ tenantId, id }) => ({ t: tenantId, id })));
  return sql`${preparedHint}
    with reported as (
      select s.tenant_id, s.id, s.status as was,
        min(r.at) filter (where r.status = 'DELIVERED') as delivered_at,
        (array_agg(r.code order by r.at) filter (where r.status in ('UNDELIVERED', 'FAILED')))[1] as code,
        bool_or(r.status = 'UNDELIVERED') as undelivered, bool_or(r.status = 'FAILED') as failed, bool_or(r.status = 'SENT') as accepted,
        (array_agg(r.provider_message_id) filter (where r.provider_message_id is not null))[1] as pmid,
        s.status in ('SENT', 'UNKNOWN', 'UNDELIVERED') or ${isAskedAgain} as open,
        exists (select 1 from message_clicks c where c.tenant_id = s.tenant_id and c.message_id = s.message_id and c.send_id = s.id and not c.automated) as clicked
      from jsonb_to_recordset(${payload}::jsonb) as a(t text, id bigint)
      join message_sends s on s.tenant_id = a.t and s.id = a.id
      left join message_reports r on r.tenant_id = s.tenant_id and r.send_id = s.id
        -- What is said of an earlier attempt, which the provider knows by another id, says nothing about the last one.
        and (r.status = 'DELIVERED' or coalesce(r.provider_message_id = s.provider_message_id, true))
      where s.status <> 'SENDING'
      group by s.tenant_id, s.id, s.status, s.message_id, s.bound_provider_id
    ), decided as (
      select *, case
        when delivered_at is not null then 'DELIVERED'
        when not open then null
        -- What was accepted, by the answer or a report, was not refused.
        when undelivered or failed and (accepted or was in ('SENT', 'UNDELIVERED')) then 'UNDELIVERED'
        when failed then 'FAILED'
        when accepted or clicked then 'SENT' end as new_status
      from reported
    ), changed as (
      update message_sends s set status = d.new_status,
        reason = case d.new_status when 'UNDELIVERED' then coalesce('code_' || d.code, 'undelivered') when 'FAILED' then coalesce('code_' || d.code, 'rejected')
          else case when s.status not in ('SENT', 'UNDELIVERED') then case when d.new_status = 'SENT' and d.clicked then 'confirmed_by_click' else 'confirmed_by_report' end end end,
        provider_message_id = coalesce(s.provider_message_id, d.pmid),
        sent_at = case when d.new_status = 'FAILED' then s.sent_at else coalesce(s.sent_at, now()) end,
        delivered_at = coalesce(s.delivered_at, d.delivered_at), holder = null, lease_until = null, updated_at = now()
      from decided d
      where s.tenant_id = d.tenant_id and s.id = d.id and d.new_status is not null and s.status <> d.new_status
        -- Forward only: what was accepted is not unknown or refused again, what arrived has arrived.
        and not (d.new_status = 'SENT' and s.status not in ('UNKNOWN', 'QUEUED'))
      returning s.tenant_id, s.message_id, s.status, old.updated_at as since
    )
    -- FAILED is only what was not accepted.
    ${takeNoticesBack(sql`select * from changed where status = 'FAILED'`)}`;
}
