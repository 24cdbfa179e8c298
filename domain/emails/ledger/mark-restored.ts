import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { isNoYounger, isOfCopy } from '../../addresses/row-age.ts';
import { addToTimelineIf, insertDeliveryEvents, toldColumns } from './delivery-events.ts';
import { settleByBounces, settleByHits, type EmailRef } from './settle-by-evidence.ts';

/** What EMAIL_SENT said of an email, after the copy was taken to which Postgres was put back. */
export interface ToldEmail extends EmailRef {
  status: 'SENT' | 'FAILED';
  /** RFC 3339. */
  at: string;
}

/**
 * Settles emails of a restored copy as an event told: it was written with the provider's answer. Not an email that was
 * given the id later. Returns how many. Engine `tx`.
 */
export async function settleAsTold(tx: EntityManager, told: readonly ToldEmail[]): Promise<number> {
  const payload = JSON.stringify(told.map(({ tenantId, ...one }) => ({ ...one, tenant_id: tenantId })));
  const settled = await rows(
    tx,
    sql`
    with changed as (
      update emails m set status = r.status, reason = 'restored', sent_at = case when r.status = 'SENT' then r.at end,
        ${addToTimelineIf(sql`true`)}, holder = null, lease_until = null, updated_at = now()
      from jsonb_to_recordset(${payload}::jsonb) as r(tenant_id text, id bigint, status text, at timestamptz)
      where m.tenant_id = r.tenant_id and m.id = r.id and ${isNoYounger(sql`m.created_at`, sql`r.at`)}
        and (m.status in ('QUEUED', 'SENDING') or m.status = 'UNKNOWN' and m.reason = 'restored')
      returning ${toldColumns}
    ), told as (${insertDeliveryEvents(sql`(select * from changed)`)})
    select id from changed`,
  );
  if (settled.length > 0) touchOutbox(tx, 'outbox_events');
  return settled.length;
}

/** Ids of emails that one transaction looks at. */
const RANGE = 20_000;

/**
 * Makes UNKNOWN, with the reason `restored`, the emails among the next ids after `after` that may have been sent since
 * the copy: all that are SENDING, or QUEUED and due by now. What waits for a later time, or belongs to a campaign that
 * was cancelled before, was not sent; nor what was made after the copy, if `since` names its time. Later evidence
 * settles them as any UNKNOWN one. `last` is null at the end. Engine `tx`.
 */
export async function markEmailsRestored(
  tx: EntityManager,
  after: number,
  since: Date | null,
): Promise<{ marked: number; last: number | null }> {
  const [range] = await rows<{ last: number | null }>(
    tx,
    sql`select max(id) as last from (select id from emails where id > ${after} order by id limit ${RANGE}) r`,
  );
  const last = range!.last;
  if (last === null) return { marked: 0, last };
  const marked = await rows<EmailRef>(
    tx,
    sql`
    with marked as (
      update emails m set status = 'UNKNOWN', reason = 'restored', holder = null, lease_until = null, updated_at = now()
      where id > ${after} and id <= ${last} and status in ('QUEUED', 'SENDING')
        and (status = 'SENDING' or (coalesce(next_attempt_at, due_at) is null or coalesce(next_attempt_at, due_at) <= now()))
        and ${isOfCopy(sql`m.created_at`, since)}
        and not exists (
          select 1 from email_campaigns k
          where k.tenant_id = m.tenant_id and k.id = m.campaign_id and m.lane = 'bulk' and k.status in ('CANCELLED', 'FAILED'))
      returning id, tenant_id, attempt, provider, old.status as was
    ), attempts as (
      insert into email_attempts (tenant_id, email_id, attempt, provider, outcome)
      select tenant_id, id, attempt, provider, 'unknown' from marked where provider is not null and was = 'SENDING'
      on conflict (tenant_id, email_id, attempt) do nothing
    )
    select id, tenant_id as "tenantId" from marked`,
  );
  await settleByBounces(tx, marked);
  await settleByHits(tx, marked);
  return { marked: marked.length, last };
}
