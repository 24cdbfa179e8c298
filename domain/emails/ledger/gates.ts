import { sql, type RawBuilder } from '../../../db/orm.ts';
import { askCaps, emailPriority } from '../../delivery/gates/caps.ts';
import { isStopped } from '../../delivery/gates/stopped.ts';
import { addressDigestSql } from '../../addresses/digest.ts';
import { isBeingErased } from '../../contact-values/being-erased.ts';
import { unverifiedSenderReason } from '../senders/proven.ts';

/**
 * The gates that every email must pass when it is queued and again when it is started (sender, cap and
 * priority: only when started), in the order in which `explain` shows them.
 */
export const GATES = [
  'campaign',
  'template',
  'contact',
  'status',
  'suppression',
  'topic',
  'sender',
  'frequency_cap',
  'priority',
] as const;
export type Gate = (typeof GATES)[number];

/**
 * Joins the data that the gates need to `e`, which has tenant_id, template_id, contact_id, campaign_id, execution_id and,
 * for an email to an address without a contact, `to_key` (the address key). Contact, suppression and topic opt-outs are looked
 * up per email, so that indexes are used whatever the planner's statistics say: a join might read a whole tenant.
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
    -- Suppressions left by an erasure set the status of a contact created again; opt-outs are looked up for contacts too.
    case when t.topic_id is not null then exists (
      select 1 from topic_opt_outs o, (select case when e.contact_id is null then e.to_key else c.email_key end as email_key) w
      where o.tenant_id = e.tenant_id and o.topic_id = t.topic_id and o.channel = 'email'
        and o.address = any(array[w.email_key, 'erased:' || ${sql.raw(addressDigestSql('e.tenant_id', 'w.email_key'))}])) end as topic_off
    -- With offset 0 this is evaluated once per email, not once per case branch that uses it.
    offset 0) a`;

/**
 * Why the email must not be sent; null if it may. Transactional email is sent despite an unsubscribe, but nothing is
 * ever sent to an address that bounced or complained, or for a contact that was deleted or is being erased.
 */
export const refusal = sql`case
  when k.status in ('CANCELLED', 'FAILED') then 'campaign_' || lower(k.status)
  when ${isStopped} then 'stopped'
  when t.id is null then 'template_deleted'
  when e.contact_id is not null and c.id is null then 'contact_deleted'
  when ${isBeingErased(sql`e.tenant_id`, sql`e.contact_id`)} then 'contact_erased'
  when a.status in ('bounced', 'complained') then 'contact_' || a.status
  when a.suppressed in ('bounced', 'complained') then 'address_' || a.suppressed
  when t.category = 'transactional' then null
  when a.status <> 'active' then 'contact_' || a.status
  when a.suppressed is not null then 'address_' || a.suppressed
  when a.topic_off then 'topic_off'
end`;

/**
 * Like `refusal`, for an email `e` (a ledger row, or anything with its id) that is about to be sent. Also refuses a
 * From address `fromKey` (null for the default sender) that the tenant has not verified. Caps: `capJoin`.
 */
export const refusalAtStart = (fromKey: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce(${refusal}, ${unverifiedSenderReason(sql`e.tenant_id`, fromKey)})`;

/**
 * Joins what the tenant's caps say as `v` (see `askCaps`) to an email `e` with its `gateJoins`; all null or false if it
 * meets no cap: it is not marketing, or was started before and so has its slot.
 */
export const capJoin: RawBuilder<unknown> = sql`
  left join lateral (${askCaps({
    kind: 'email',
    id: sql`e.id`,
    tenantId: sql`e.tenant_id`,
    contactId: sql`e.contact_id`,
    channel: sql`'email'`,
    priority: emailPriority(sql`e`, sql`k`),
    queuedAt: sql`e.created_at`,
  })} and t.category = 'marketing' and e.attempt = 0) v on true`;

/** The gate that gives a reason; null for reasons that come from no gate (for example a stopped campaign). */
export function gateOf(reason: string | null): Gate | null {
  if (reason === 'frequency_cap') return 'frequency_cap';
  if (reason === 'outranked') return 'priority';
  if (reason === 'campaign_cancelled' || reason === 'campaign_failed') return 'campaign';
  if (reason === 'template_deleted') return 'template';
  if (reason === 'contact_deleted' || reason === 'contact_erased') return 'contact';
  if (reason === 'topic_off') return 'topic';
  if (reason === 'sender_unverified') return 'sender';
  if (reason?.startsWith('contact_')) return 'status';
  return reason?.startsWith('address_') ? 'suppression' : null;
}
