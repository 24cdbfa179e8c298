import { preparedHint, rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { insertEmailEvents, touchOutbox } from '../../../events/outbox.ts';
import { addToTimelineIf, insertDeliveryEvents, referencesSql, toldColumns } from './delivery-events.ts';
import type { WebhookProvider } from '../../../db/entities/emails.ts';

/** Identifies an email of the ledger. */
export interface EmailRef {
  tenantId: string;
  id: number;
}

const asked = (emails: readonly EmailRef[]) => {
  const payload = JSON.stringify(emails.map(({ tenantId, id }) => ({ tenant_id: tenantId, id })));
  return sql`jsonb_to_recordset(${payload}::jsonb) as a(tenant_id text, id bigint)`;
};
/** EMAIL_SENT was written for all but the UNKNOWN ones. */
const settled = sql`${addToTimelineIf(sql`m.status = 'UNKNOWN'`)}, sent_at = coalesce(m.sent_at, now()), holder = null, lease_until = null, updated_at = now()`;
const returned = sql`${toldColumns}, old.status as was`;
/** Writes EMAIL_SENT for the emails in `changed` that were UNKNOWN, because it was not written for them yet. */
const tellSent = insertDeliveryEvents(sql`(
  select tenant_id, id, request_id, contact_id, template_id, campaign_id, external_id, 'SENT' as status from changed where was = 'UNKNOWN')`);

/** Runs a statement that writes outbox rows; if it returns emails, marks the outbox as touched. */
async function settle(tx: EntityManager, statement: RawBuilder<unknown>): Promise<void> {
  if ((await rows(tx, statement)).length > 0) touchOutbox(tx, 'outbox_events');
}

/**
 * The statement that sets emails to BOUNCED, or COMPLAINED (which is final), by their stored bounces and complaints.
 * The engine transaction must have locked them. Skips SENDING emails: the code that settles one runs this afterwards,
 * as a separate statement that sees what was stored in the meantime. EMAIL_BOUNCED is written once, with the time of
 * the first bounce.
 */
export const applyBounces = (emails: readonly EmailRef[]): RawBuilder<unknown> => sql`${preparedHint}
  with bounces as (
    select b.tenant_id, b.email_id, bool_or(b.kind = 'complaint') as complained, bool_or(b.kind = 'hard') as hard, min(b.at) as at
    from ${asked(emails)} join email_bounces b on b.tenant_id = a.tenant_id and b.email_id = a.id group by 1, 2
  ), changed as (
    update emails m set status = case when t.complained then 'COMPLAINED' else 'BOUNCED' end,
      reason = case when t.complained then 'complaint' when t.hard then 'hard_bounce' else 'soft_bounce' end, ${settled}
    from bounces t where m.tenant_id = t.tenant_id and m.id = t.email_id and m.reason is distinct from 'erased'
      and (m.status in ('SENT', 'DELIVERED', 'UNKNOWN') or (m.status = 'BOUNCED' and (t.complained or (t.hard and m.reason = 'soft_bounce'))))
    returning ${returned}, t.hard, t.at
  ), sent as (${tellSent}), bounced as (${insertEmailEvents(
    'EMAIL_BOUNCED',
    sql`(
    select tenant_id, id, null as request_id, date_trunc('milliseconds', at) as at,
      jsonb_build_object('emailId', id, 'contactId', contact_id, 'hard', hard) || ${referencesSql} as data
    from changed where status = 'BOUNCED' and was <> 'BOUNCED')`,
  )})
  select id from changed`;

export async function settleByBounces(tx: EntityManager, emails: readonly EmailRef[]): Promise<void> {
  if (emails.length > 0) await settle(tx, applyBounces(emails));
}

/** Sets SENT and UNKNOWN emails to DELIVERED, after a provider or a report said so. */
export async function settleByDelivery(
  tx: EntityManager,
  emails: readonly EmailRef[],
  source: 'mailbox' | 'smtp' | 'stream' | WebhookProvider,
): Promise<void> {
  if (emails.length === 0) return;
  await settle(
    tx,
    sql`
    with changed as (
      update emails m set status = 'DELIVERED', reason = ${`confirmed_by_${source}`}, ${settled}
      from ${asked(emails)} where m.tenant_id = a.tenant_id and m.id = a.id and m.status in ('SENT', 'UNKNOWN') and m.reason is distinct from 'erased'
      returning ${returned}
    ), sent as (${tellSent})
    select id from changed`,
  );
}

/**
 * Sets UNKNOWN emails to SENT that somebody has opened or clicked. Also locks SENDING emails for a moment: the code
 * that makes one UNKNOWN calls this afterwards, and then sees the hit.
 */
export async function settleByHits(tx: EntityManager, emails: readonly EmailRef[]): Promise<void> {
  if (emails.length === 0) return;
  const open = await rows<{ tenant_id: string; id: number; status: string }>(
    tx,
    sql`
    select m.tenant_id, m.id, m.status from ${asked(emails)} join emails m on m.tenant_id = a.tenant_id and m.id = a.id
    where m.status in ('SENDING', 'UNKNOWN') order by m.id for no key update of m`,
  );
  const unknown = open
    .filter(({ status }) => status === 'UNKNOWN')
    .map(({ tenant_id: tenantId, id }) => ({ tenantId, id }));
  if (unknown.length === 0) return;
  await settle(
    tx,
    sql`
    with hit as (
      select distinct on (v.tenant_id, v.email_id) v.tenant_id, v.email_id, lower(v.type) as type
      from ${asked(unknown)} join email_events v on v.tenant_id = a.tenant_id and v.email_id = a.id
      where v.type in ('OPEN', 'CLICK') and not v.automated and not v.inferred order by v.tenant_id, v.email_id, v.at
    ), changed as (
      update emails m set status = 'SENT', reason = 'confirmed_by_' || h.type, ${settled}
      from hit h where m.tenant_id = h.tenant_id and m.id = h.email_id and m.reason is distinct from 'erased'
      returning ${returned}
    ), sent as (${tellSent})
    select id from changed`,
  );
}
