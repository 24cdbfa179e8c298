import { sql, type RawBuilder } from '../../../db/orm.ts';
import { addressDigestSql } from '../../addresses/digest.ts';
import { isBeingErased } from '../../contact-values/being-erased.ts';
import { askCaps } from './caps.ts';
import { DEFAULT_WINDOWS } from './default-windows.ts';
import { quietHoursJoin } from './quiet-hours.ts';
import { isStopped } from './stopped.ts';

/**
 * The gates that every text message and push must pass when it is queued and again when it is started (cap, priority
 * and hours: only when started), in this order.
 */
export const MESSAGE_GATES = [
  'campaign',
  'template',
  'contact',
  'address',
  'status',
  'suppression',
  'topic',
  'frequency_cap',
  'priority',
  'send_window',
] as const;
export type MessageGate = (typeof MESSAGE_GATES)[number];

const erased = (address: string) => sql`'erased:' || ${sql.raw(addressDigestSql('e.tenant_id', address))}`;

/**
 * Joins the data that the gates need to `e`: a row of `messages`, or anything with tenant_id, channel, category,
 * template_id, contact_id, to_address, subscription_id and execution_id. The addresses are looked up per message, so
 * that indexes are used whatever the planner's statistics say: a join might read a whole tenant.
 *
 * `c` is the contact of the message. For a text to a number it is the first contact that has the number and is not
 * archived, so that its hours and caps count. `a.address` is what consents, suppressions and topic opt-outs are stored
 * under: the number, or for a push the key of the contact's email address.
 */
export const messageGateJoins: RawBuilder<unknown> = sql`
  left join channel_templates t on t.tenant_id = e.tenant_id and t.id = e.template_id
  cross join lateral (select coalesce(e.contact_id, case when e.channel = 'sms' then (
    select n.id from contacts n where n.tenant_id = e.tenant_id and n.phone_e164 = e.to_address order by n.status = 'archived', n.id limit 1) end) as contact_id offset 0) who
  left join lateral (select * from contacts where tenant_id = e.tenant_id and id = who.contact_id offset 0) c on true
  left join channel_settings gs on gs.tenant_id = e.tenant_id
  cross join lateral (select case when e.channel = 'push' then c.email_key when e.contact_id is null then e.to_address else c.phone_e164 end as address offset 0) w
  cross join lateral (select
    w.address,
    case when e.channel = 'push' then case
      when e.subscription_id is null then exists (
        select 1 from push_subscriptions p where p.tenant_id = e.tenant_id and p.contact_id = e.contact_id and p.status = 'active')
      else exists (select 1 from push_subscriptions p where p.tenant_id = e.tenant_id and p.id = e.subscription_id and p.status = 'active') end
    else w.address is not null end as reachable,
    case when e.channel = 'sms' then (
      select x.status from text_consents x where x.tenant_id = e.tenant_id and x.address = any(array[w.address, ${erased('w.address')}])
      order by x.id desc limit 1) end as consent,
    (select s.reason from channel_suppressions s where s.tenant_id = e.tenant_id and s.channel = e.channel
       and s.address = any(array[w.address, ${erased('w.address')}])
     order by s.reason in ('invalid', 'complained') desc limit 1) as suppressed,
    case when t.topic_id is not null then exists (
      select 1 from topic_opt_outs o where o.tenant_id = e.tenant_id and o.topic_id = t.topic_id and o.channel = e.channel
        and o.address = any(array[w.address, ${erased('w.address')}])) end as topic_off
    -- With offset 0 this is evaluated once per message, not once per case branch that uses it.
    offset 0) a`;

/** A template that has become marketing since a message was queued makes it marketing too. */
export const isMarketing: RawBuilder<unknown> = sql`'marketing' in (e.category, coalesce(t.category, e.category))`;

/**
 * Why the message must not be sent; null if it may. Marketing needs a consent to texts to the number, and for a push a
 * contact whose status allows email: a mailbox that does not exist (bounced) says nothing about a device. Transactional
 * messages pass that and the opt-outs, but nothing is ever sent to an address that is invalid or has complained.
 */
export const messageRefusal: RawBuilder<unknown> = sql`case
  when ${isStopped} then 'stopped'
  when e.template_id is not null and t.id is null then 'template_deleted'
  when e.contact_id is not null and c.id is null then 'contact_deleted'
  when ${isBeingErased(sql`e.tenant_id`, sql`e.contact_id`)} then 'contact_erased'
  when c.status = 'archived' and (e.contact_id is not null or ${isMarketing}) then 'contact_archived'
  when not a.reachable then case e.channel when 'push' then 'no_subscription' else 'no_address' end
  when ${isMarketing} and e.channel = 'sms'
    and case when gs.sms_consent = 'implied' then a.consent = 'unsubscribed' else a.consent is distinct from 'subscribed' end then 'no_consent'
  when ${isMarketing} and e.channel = 'push' and c.status not in ('active', 'bounced') then 'contact_' || c.status
  when a.suppressed in ('invalid', 'complained') then 'address_' || a.suppressed
  when not ${isMarketing} then null
  when a.suppressed is not null then 'address_' || a.suppressed
  when a.topic_off then 'topic_off'
end`;

/**
 * Joins what the tenant's caps say as `v` (see `askCaps`) to a row `e` of `messages`; nothing is capped if it is not
 * marketing, or was started before and so has its slot. Ask it of messages whose hours are open.
 */
export const messageCapJoin: RawBuilder<unknown> = sql`
  left join lateral (${askCaps({
    kind: 'message',
    id: sql`e.id`,
    tenantId: sql`e.tenant_id`,
    contactId: sql`who.contact_id`,
    channel: sql`e.channel`,
    priority: sql`e.priority`,
    queuedAt: sql`e.created_at`,
  })} and ${isMarketing} and e.started_at is null) v on true`;

/** Joins the quiet hours that `messageHours` needs, after `messageGateJoins`. */
export const messageHoursJoin: RawBuilder<unknown> = quietHoursJoin(isMarketing);

/** The `HoursRules` of a message as jsonb; null if it is not marketing. */
export const messageHours: RawBuilder<unknown> = sql`case when ${isMarketing} then jsonb_build_object(
  'channel', e.channel,
  'sendWindow', case when gs.tenant_id is null then ${sql.raw(`'${JSON.stringify(DEFAULT_WINDOWS)}'::jsonb`)} else gs.send_windows end -> e.channel,
  'tenantTimezone', coalesce(gs.timezone, 'UTC'), 'maxHoldHours', coalesce(gs.max_hold_hours, 24), 'quietHours', q.quiet_hours,
  'timezone', c.timezone, 'number', case when e.channel = 'sms' then a.address end) end`;

/** A message that nobody accepts is tried for this long. */
export const EXPIRES_AFTER_HOURS = 72;

/**
 * Whether a message is too old to be started, after `messageGateJoins`. Marketing may be held for its hours first, and
 * gets that time in addition. What was started before has its time from then on.
 */
export const isTooOld: RawBuilder<unknown> = sql`coalesce(e.started_at, e.created_at) < now() - make_interval(
  hours => ${sql.lit(EXPIRES_AFTER_HOURS)} + case when e.category = 'marketing' then coalesce(gs.max_hold_hours, 24) else 0 end)`;

const BY_REASON: Record<string, MessageGate> = {
  stopped: 'campaign',
  template_deleted: 'template',
  contact_deleted: 'contact',
  contact_archived: 'contact',
  contact_erased: 'contact',
  erased: 'contact',
  no_address: 'address',
  no_subscription: 'address',
  no_consent: 'status',
  topic_off: 'topic',
  frequency_cap: 'frequency_cap',
  outranked: 'priority',
  expired: 'send_window',
};

/** The gate that gives a reason; null for reasons that come from no gate. */
export function messageGateOf(reason: string | null): MessageGate | null {
  if (reason === null) return null;
  if (reason in BY_REASON) return BY_REASON[reason]!;
  if (reason.startsWith('contact_')) return 'status';
  return reason.startsWith('address_') ? 'suppression' : null;
}
