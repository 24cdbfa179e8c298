import { sql, type RawBuilder } from '../../../db/orm.ts';
import { addressDigestSql } from '../../addresses/digest.ts';
import { senderRefusal } from '../senders/proven.ts';
import { countMarketingMail } from './frequency-cap.ts';

/** The gates that every email passes when it is queued and again when it is started (sender and cap: only then), in the order explain shows them. */
export const GATES = [
  'campaign',
  'template',
  'contact',
  'status',
  'suppression',
  'topic',
  'sender',
  'frequency_cap',
] as const;
export type Gate = (typeof GATES)[number];

/**
 * What the gates look at, joined to `e`, which has tenant_id, template_id, contact_id, campaign_id and, for a mail to a bare
 * address, `to_key` (the address as it is compared). The contact and what hangs on the address are looked up one by one: that
 * uses the index whatever the planner knows of the tables, where a join may read a whole tenant for a few emails.
 */
export const gateJoins = sql`
  left join email_templates t on t.tenant_id = e.tenant_id and t.id = e.template_id
  left join lateral (select * from contacts where tenant_id = e.tenant_id and id = e.contact_id offset 0) c on true
  left join email_campaigns k on k.tenant_id = e.tenant_id and k.id = e.campaign_id
  cross join lateral (select
    case when e.contact_id is not null then c.status
         else (select k.status from contacts k where k.tenant_id = e.tenant_id and k.email_key = e.to_key) end as status,
    (select s.reason from suppressions s where s.tenant_id = e.tenant_id and s.email_key = any(case
       when e.contact_id is null then array[e.to_key, 'erased:' || ${sql.raw(addressDigestSql('e.tenant_id', 'e.to_key'))}] else array[c.email_key] end)
     order by s.reason in ('bounced', 'complained') desc limit 1) as suppressed,
    -- A suppression that an erasure left gives its status to a contact made anew; this is looked up for contacts too.
    case when t.topic_id is not null then exists (
      select 1 from topic_opt_outs o, (select case when e.contact_id is null then e.to_key else c.email_key end as email_key) w
      where o.tenant_id = e.tenant_id and o.topic_id = t.topic_id
        and o.email_key = any(array[w.email_key, 'erased:' || ${sql.raw(addressDigestSql('e.tenant_id', 'w.email_key'))}])) end as topic_off
    -- Once for each email, not once for each arm of the verdict that asks.
    offset 0) a`;

/**
 * Why the email must not go, null if it may. Transactional mail passes unsubscribes, but nothing is ever sent to an
 * address that bounced or complained, or on behalf of a contact that is gone.
 */
export const refusal = sql`case
  when k.status in ('CANCELLED', 'FAILED') then 'campaign_' || lower(k.status)
  when t.id is null then 'template_deleted'
  when e.contact_id is not null and c.id is null then 'contact_deleted'
  when a.status in ('bounced', 'complained') then 'contact_' || a.status
  when a.suppressed in ('bounced', 'complained') then 'address_' || a.suppressed
  when t.category = 'transactional' then null
  when a.status <> 'active' then 'contact_' || a.status
  when a.suppressed is not null then 'address_' || a.suppressed
  when a.topic_off then 'topic_off'
end`;

/**
 * The same for an email `e` (a row of the ledger, or its id beside) that is about to go: also that its From address, `fromKey`
 * (null for the default sender), is none that the tenant has proved, or that the contact has had as much marketing mail as
 * the tenant's cap allows.
 */
export const refusalAtStart = (
  fromKey: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`coalesce(${refusal}, ${senderRefusal(sql`e.tenant_id`, fromKey)}, case
  when t.category = 'marketing' and e.contact_id is not null and exists (
    select 1 from email_settings s cross join lateral (${countMarketingMail({
      tenantId: sql`e.tenant_id`,
      contactId: sql`e.contact_id`,
      days: sql`(s.frequency_cap ->> 'perDays')::int`,
      beforeId: sql`e.id`,
    })}) m
    where s.tenant_id = e.tenant_id and s.frequency_cap is not null and m.n >= (s.frequency_cap ->> 'maxEmails')::int)
  then 'frequency_cap' end)`;

/** The gate that a reason comes from; null for reasons that are no gate's (a stopped campaign, for one). */
export function gateOf(reason: string | null): Gate | null {
  if (reason === 'frequency_cap') return 'frequency_cap';
  if (reason === 'campaign_cancelled' || reason === 'campaign_failed') return 'campaign';
  if (reason === 'template_deleted') return 'template';
  if (reason === 'contact_deleted') return 'contact';
  if (reason === 'topic_off') return 'topic';
  if (reason === 'sender_unverified') return 'sender';
  if (reason?.startsWith('contact_')) return 'status';
  return reason?.startsWith('address_') ? 'suppression' : null;
}
