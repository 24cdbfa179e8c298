import { preparedHint, sql, type RawBuilder } from '../../../db/orm.ts';
import type { Transact } from '../../../db/pipelined-transactions.ts';
import type { MessageStatus } from '../../../db/entities/messages.ts';
import type { ShortLink } from '../content/short-links.ts';
import { isCapLocked, lockCapped } from '../../delivery/gates/caps.ts';
import {
  isMarketing,
  isTooOld,
  messageCapJoin,
  messageGateJoins,
  messageRefusal,
} from '../../delivery/gates/message-gates.ts';
import { isMessageLocked, lockFreeMessages, lockMessages, refreshMessages } from '../queue/refresh-messages.ts';
import { keyOf, messagesOf, REPEATABLE_HOURS, settlementStatements, type SendSettlement } from './settle-sends.ts';

/** A short link of a send; an earlier attempt may have stored it. */
export interface LinkToStore extends ShortLink {
  isStored: boolean;
}

/** A leased send after rendering. */
export interface PreparedSend {
  id: number;
  tenantId: string;
  messageId: number;
  contactVersion: number | null;
  contentVersion: number | null;
  /** The number that the text goes to. */
  address: string | null;
  segments: number | null;
  encoding: string | null;
  links: readonly LinkToStore[];
  /** Why it cannot be sent: it becomes FAILED. */
  failure?: string;
  /** No hours are open within the time that it may be held: it becomes SUPPRESSED. */
  expired?: boolean;
  /** The contact, if a cap concerns the message. */
  cappedContactId: number | null;
  /** It must wait until then: hours. */
  notBefore?: Date;
  /** The provider of its connection; null for Web Push. */
  providerId: number | null;
  /** False if it only ends or waits: it has no connection. */
  isSendable: boolean;
}

export interface StartedSend {
  id: number;
  /** SENDING: the caller must send it, as this attempt. QUEUED: it must wait, or its contact or template has changed. */
  status: Extract<MessageStatus, 'SENDING' | 'SUPPRESSED' | 'FAILED' | 'QUEUED' | 'UNKNOWN'>;
  attempt: number;
}

interface Start {
  holder: string;
  /** The unique name of this call: holder, slash, number. */
  name: string;
  leaseSeconds: number;
  sends: readonly PreparedSend[];
  /** Attempts that have ended, and change nothing of contacts (`changesContacts`). */
  settlements: readonly SendSettlement[];
}

/**
 * Starts leased sends: those that pass every gate now become SENDING, as the next attempt. The others become SUPPRESSED,
 * FAILED, or QUEUED again. What nobody has accepted for too long is FAILED `expired`, also if there is no provider for
 * it. Left out of the result are sends that this holder no longer leases, and those whose message another transaction
 * has locked: it may take long, and nobody must wait for it. Attempts that have ended are settled before, in the same
 * transaction.
 *
 * If this throws, the transaction may have been committed, or may still commit. The caller must then send nothing, settle
 * `settlements` again, and settle all sends as QUEUED with `start` = this call.
 */
export async function startSends(transact: Transact, start: Start): Promise<StartedSend[]> {
  const { sends, settlements } = start;
  const [ended, started] = [messagesOf(settlements), messagesOf(sends)];
  const capped = sends.flatMap(({ cappedContactId }) => cappedContactId ?? []);
  // Settlements may wait for others, so they come first: what is only to be started is not locked meanwhile.
  const settle = settlements.length > 0 ? [lockMessages(ended), ...settlementStatements(settlements)] : [];
  const lock = [lockFreeMessages(started), ...(capped.length > 0 ? [lockCapped(capped)] : [])];
  const isEnded = new Set(ended.map(keyOf));
  const refresh = refreshMessages(
    ended,
    started.filter((message) => !isEnded.has(keyOf(message))),
  );
  if (sends.length === 0) {
    await transact([...settle, refresh]);
    return [];
  }
  const answers = await transact([...settle, ...lock, applyStart(start), refresh]);
  return answers.at(-2) as StartedSend[];
}

function applyStart({ holder, name, leaseSeconds, sends }: Start): RawBuilder<unknown> {
  const payload = JSON.stringify(
    sends.map((send) => ({
      id: send.id,
      cv: send.contactVersion,
      tv: send.contentVersion,
      address: send.address,
      segments: send.segments,
      encoding: send.encoding,
      links: send.links,
      failure: send.failure,
      expired: send.expired ?? false,
      not_before: send.notBefore,
      provider: send.providerId,
      sendable: send.isSendable,
    })),
  );
  return sql`${preparedHint}
    with asked as (
      select * from jsonb_to_recordset(${payload}::jsonb) as r(
        id bigint, cv int, tv int, address text, segments smallint, encoding text, links jsonb, failure text, expired boolean,
        not_before timestamptz, provider bigint, sendable boolean)
    ), held as (
      select s.id as send_id, s.message_id, s.subscription_id as device_id, m.id, m.tenant_id, m.channel, m.category, m.template_id,
        m.contact_id, m.to_address, m.subscription_id, m.execution_id, m.started_at, m.priority, m.created_at, s.bound_provider_id, a.cv, a.tv, a.address as rendered_for, a.segments, a.encoding,
        a.links, a.failure, a.expired, a.not_before, a.provider, a.sendable
      -- Looked up one by one: a join might read all that are open.
      from asked a cross join lateral (
        select * from message_sends o where o.id = a.id and o.status = 'QUEUED' and o.holder = ${holder} and o.lease_until > now()
          and ${isMessageLocked(sql`o.message_id`)}
        for update skip locked) s
      join messages m on m.tenant_id = s.tenant_id and m.id = s.message_id
    ), judged as (
      select e.*, ${messageRefusal} as refusal, ${isMarketing} as marketing, ${isTooOld} as too_old,
        -- A message that has changed since it was rendered is rendered again.
        c.version is distinct from e.cv or t.content_version is distinct from e.tv
          or (e.channel = 'sms' and a.address is distinct from e.rendered_for) as stale,
        -- A device that belongs to somebody else by now must not show what was meant for this contact.
        case when e.device_id is not null then (select d.status from push_subscriptions d where d.tenant_id = e.tenant_id and d.id = e.device_id
          and (e.contact_id is null or d.contact_id is not distinct from e.contact_id)) end as device_status,
        -- Caps are asked when the message is due, and not before what arrived with it can be seen.
        not e.expired and e.not_before is null and coalesce(v.capped, false) as capped, v.reason as cap_reason,
        v.waits or not ${isCapLocked(sql`who.contact_id`)} as cap_waits, greatest(v.asks_at, now() + interval '200 ms') as asks_at
      from held e ${messageGateJoins} ${messageCapJoin}
    ), asked_caps as (
      select j.*, coalesce(refusal, case when expired then 'expired' when capped and not cap_waits then cap_reason end) as suppression,
        capped and cap_waits as gathers
      from judged j
    ), decided as materialized (
      select j.*, coalesce(
          case when device_status is distinct from 'active' and device_id is not null then 'gone' when too_old then 'expired' end, failure) as failed_by,
        case
          -- It may have been accepted before: it is asked for again by its key, or stays in doubt.
          when bound_provider_id is not null and (suppression is not null or failure is not null
            or started_at < now() - make_interval(hours => ${sql.lit(REPEATABLE_HOURS)})) then 'UNKNOWN'
          when suppression is not null then 'SUPPRESSED'
          when too_old or device_id is not null and device_status is distinct from 'active' then 'FAILED'
          when not_before is not null or gathers then 'QUEUED'
          when failure is not null then 'FAILED' when stale or not sendable then 'QUEUED' else 'SENDING' end as new_status
      from asked_caps j
    ), changed as (
      update message_sends s set
        status = d.new_status,
        reason = case d.new_status when 'SUPPRESSED' then d.suppression when 'FAILED' then d.failed_by when 'UNKNOWN' then 'no_reply' end,
        attempt = s.attempt + (d.new_status = 'SENDING')::int,
        holder = case when d.new_status = 'SENDING' then ${name} end,
        lease_until = case when d.new_status = 'SENDING' then now() + make_interval(secs => ${leaseSeconds}) end,
        provider_id = case when d.new_status = 'SENDING' then d.provider else s.provider_id end,
        next_attempt_at = coalesce(case when d.new_status = 'QUEUED' then d.not_before end, case when d.new_status = 'QUEUED' and d.gathers then d.asks_at end, s.next_attempt_at),
        held_until = case when d.new_status = 'QUEUED' then d.not_before end,
        updated_at = now()
      from decided d where s.tenant_id = d.tenant_id and s.id = d.send_id
      returning s.id, s.tenant_id, s.message_id, s.status, s.attempt
    ), noted as (
      update messages m set started_at = coalesce(m.started_at, now()), to_address = coalesce(d.rendered_for, m.to_address),
        content_version = d.tv, segments = d.segments, encoding = d.encoding,
        -- Spares the refresh a second update: none of its sends is better than QUEUED.
        status = case when m.status = 'QUEUED' then 'SENDING' else m.status end,
        reason = case when m.status = 'QUEUED' then null else m.reason end, category = case when d.marketing then 'marketing' else m.category end
      from decided d where m.tenant_id = d.tenant_id and m.id = d.id and d.new_status = 'SENDING'
    ), linked as (
      insert into message_links (code, tenant_id, message_id, send_id, position, url)
      select l ->> 'code', d.tenant_id, d.id, d.send_id, (l ->> 'position')::smallint, l ->> 'url'
      from decided d cross join lateral jsonb_array_elements(d.links) as links(l)
      where d.new_status = 'SENDING' and not (l ->> 'isStored')::boolean
    )
    select id, status, attempt from changed`;
}
