import { preparedHint, sql, type RawBuilder } from '../../../db/orm.ts';
import { insertEmailEvents } from '../../../events/outbox.ts';

/** Identifies a message, or one of its sends. */
export interface LedgerKey {
  tenantId: string;
  id: number;
}

/** A recordset `a` of these: the columns t (tenant) and id; `started` is true for those in `started`, else null. */
export const asked = (keys: readonly LedgerKey[], started: readonly LedgerKey[] = []): RawBuilder<unknown> => {
  const payload = JSON.stringify([
    ...keys.map(({ tenantId, id }) => ({ t: tenantId, id })),
    ...started.map(({ tenantId, id }) => ({ t: tenantId, id, started: true })),
  ]);
  return sql`jsonb_to_recordset(${payload}::jsonb) as a(t text, id bigint, started boolean)`;
};

/**
 * A statement that locks messages in the order of their ids. What changes sends of a message holds this lock from
 * before its first change: so the last one to change them sees all of them when it refreshes the message.
 */
export const lockMessages = (messages: readonly LedgerKey[]): RawBuilder<unknown> => sql`${preparedHint}
  select m.id from ${asked(messages)} join messages m on m.tenant_id = a.t and m.id = a.id order by m.id for no key update of m`;

/**
 * The same for messages that are only to be started, without waiting: a statement that locks those that no other
 * transaction has locked. `isMessageLocked` tells a later statement which.
 */
export const lockFreeMessages = (messages: readonly LedgerKey[]): RawBuilder<unknown> => sql`${preparedHint}
  select set_config('app.messages', coalesce(array_agg(id), '{}')::text, true) from (
    select m.id from ${asked(messages)} join messages m on m.tenant_id = a.t and m.id = a.id order by m.id for no key update of m skip locked) locked`;

/** A subquery, so that the list is read once for a statement. */
export const isMessageLocked = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`${id} = any((select nullif(current_setting('app.messages', true), '')::bigint[])::bigint[])`;

/** The best of a message's sends decides; the first in this list is the best. */
const BEST = ['DELIVERED', 'SENT', 'UNKNOWN', 'SENDING', 'QUEUED', 'UNDELIVERED', 'FAILED', 'SUPPRESSED'];
const rank = sql`array_position(${sql.raw(`array[${BEST.map((status) => `'${status}'`).join(', ')}]`)}, s.status)`;
const references = sql`jsonb_strip_nulls(jsonb_build_object('templateId', template_id, 'campaignId', campaign_id))`;

/**
 * A statement that brings messages up to date with their sends: status, reason and times; writes MESSAGE_SENT when one
 * is SENT or FAILED, and MESSAGE_DELIVERED, each once. A separate statement after those that change the sends, so that
 * it sees what they did. Returns the messages that changed, with their contacts.
 *
 * Messages of which a send was to be started are `started`: the start itself notes that they are SENDING, so they are
 * refreshed only if they have a send that ended instead.
 */
export const refreshMessages = (
  messages: readonly LedgerKey[],
  started: readonly LedgerKey[] = [],
): RawBuilder<unknown> => sql`${preparedHint}
  with best as (
    select distinct on (s.tenant_id, s.message_id) s.tenant_id, s.message_id, s.status, s.reason,
      min(s.sent_at) over sends as sent_at, min(s.delivered_at) over sends as delivered_at
    from ${asked(messages, started)} join message_sends s on s.tenant_id = a.t and s.message_id = a.id
    where a.started is null or exists (
      select 1 from message_sends e where e.tenant_id = a.t and e.message_id = a.id and e.status in ('SUPPRESSED', 'FAILED', 'UNKNOWN'))
    -- In the order of the result, so that one sort is enough.
    window sends as (partition by s.tenant_id, s.message_id order by ${rank}, s.id rows between unbounded preceding and unbounded following)
    order by s.tenant_id, s.message_id, ${rank}, s.id
  ), changed as (
    update messages m set status = b.status, reason = b.reason, sent_at = b.sent_at, delivered_at = b.delivered_at, updated_at = now(),
      told_at = coalesce(m.told_at, case when b.status in ('SENT', 'DELIVERED', 'FAILED', 'UNDELIVERED') then now() end)
    from best b
    where m.tenant_id = b.tenant_id and m.id = b.message_id
      and (m.status, m.reason, m.sent_at, m.delivered_at) is distinct from (b.status, b.reason, b.sent_at, b.delivered_at)
      -- An erasure has the last word.
      and m.reason is distinct from 'erased'
    returning m.*, old.told_at as told_before, old.delivered_at as delivered_before
  ), sent as (${insertEmailEvents(
    'MESSAGE_SENT',
    sql`(
    select tenant_id, id, request_id, date_trunc('milliseconds', now()) as at,
      jsonb_build_object('messageId', id, 'channel', channel, 'recipientId', contact_id,
        'status', case when sent_at is null and delivered_at is null and status = 'FAILED' then 'FAILED' else 'SENT' end) || ${references} as data
    from changed where told_before is null and told_at is not null)`,
  )}), delivered as (${insertEmailEvents(
    'MESSAGE_DELIVERED',
    sql`(
    select tenant_id, id, request_id, date_trunc('milliseconds', now()) as at,
      jsonb_build_object('messageId', id, 'channel', channel, 'contactId', contact_id) || ${references} as data
    from changed where delivered_before is null and delivered_at is not null)`,
  )})
  select tenant_id as "tenantId", id, status, contact_id as "contactId" from changed`;
