import { preparedHint, sql, type RawBuilder } from '../../../db/orm.ts';
import type { Transact } from '../../../db/pipelined-transactions.ts';
import type { EmailStatus } from '../../../db/entities/emails.ts';
import { applyBounces } from './settle-by-evidence.ts';
import { addToTimelineIf, insertDeliveryEvents, toldColumns } from './delivery-events.ts';
import { isCapLocked, lockCapped } from '../../delivery/gates/caps.ts';
import { capJoin, gateJoins, refusalAtStart } from './gates.ts';
import { addressKey } from '../../addresses/address-key.ts';
import { applySettlements, type Settlement } from './settle-emails.ts';

/** A leased email after rendering. `failure` is set if it cannot be rendered or has no valid address. */
export interface RenderedRow {
  id: number;
  tenantId: string;
  /** The batch with which it was leased; null if singly. */
  batchId: number | null;
  /** The email campaign or campaign that it belongs to. */
  campaignId?: number | null;
  contactVersion: number | null;
  contentVersion: number | null;
  linkCount: number | null;
  /**
   * The From address that the tenant must have verified; null for the default sender, or if the email was not rendered.
   */
  fromKey: string | null;
  address: string | null;
  isBareAddress: boolean;
  /** How often the email was started before. */
  attempt: number;
  failure?: string;
  /** The email must wait until then, because the tenant's send window is closed or the person has quiet hours. */
  notBefore?: Date;
  /** There are no open hours within the time that it may be held. */
  expired?: boolean;
  /** The contact, if caps of the tenant concern the email. */
  cappedContactId?: number | null;
}

/** A rendered email with the provider (host:port) of its connection; null if the email cannot become SENDING. */
export interface RenderedFor {
  rendered: RenderedRow;
  provider: string | null;
}

export interface Start {
  holder: string;
  /** The unique name of this call: holder name, slash, number. */
  name: string;
  leaseSeconds: number;
  emails: readonly RenderedFor[];
  /** Emails that were accepted before: settled as SENT in the same transaction. */
  sent: readonly Settlement[];
}

export interface StartedEmail {
  id: number;
  /**
   * SENDING: the caller must send it, as this attempt. QUEUED: the contact changed since rendering, or it must wait.
   */
  status: Extract<EmailStatus, 'SENDING' | 'SUPPRESSED' | 'FAILED' | 'QUEUED'>;
  attempt: number;
}

/**
 * Starts leased emails: sets those that pass every gate now to SENDING, as the next attempt. The others become
 * SUPPRESSED (by a gate), FAILED (by their `failure`), or QUEUED again: because their contact has changed since
 * rendering, until the send window opens, or until their paused campaign is resumed. Emails that this holder no longer
 * leases are left out of the result. Emails that were accepted before are settled first, in the same
 * transaction.
 *
 * If this throws, the transaction may have been committed, or may still commit (the reply was lost). The caller must
 * then send nothing, settle `sent` again, and settle all other emails as QUEUED with `start` = this call and a delay
 * that outlasts a late commit. This requeues emails that the call started, removes the leases of the others, and leaves
 * alone emails that another call started.
 */
export async function startEmails(transact: Transact, start: Start): Promise<StartedEmail[]> {
  const { sent, emails } = start;
  const settle = sent.length === 0 ? [] : [applySettlements(sent), applyBounces(sent)];
  const capped = emails.flatMap(({ rendered }) => rendered.cappedContactId ?? []);
  const lock = capped.length === 0 ? [] : [lockCapped(capped)];
  const answers = await transact(emails.length === 0 ? settle : [...settle, ...lock, applyStart(start)]);
  return emails.length === 0 ? [] : (answers.at(-1) as StartedEmail[]);
}

function applyStart({ holder, name, leaseSeconds, emails }: Start): RawBuilder<unknown> {
  const payload = JSON.stringify(
    emails.map(({ rendered: row, provider }) => ({
      id: row.id,
      tenant_id: row.tenantId,
      batch_id: row.batchId,
      contact_version: row.contactVersion,
      content_version: row.contentVersion,
      link_count: row.linkCount,
      from_key: row.fromKey,
      address: row.address,
      to_key: row.isBareAddress && row.address ? addressKey(row.address) : null,
      failure: row.failure,
      not_before: row.notBefore,
      expired: row.expired ?? false,
      provider,
    })),
  );
  return sql`${preparedHint}
    with asked as (
      select * from jsonb_to_recordset(${payload}::jsonb) as r(
        id bigint, tenant_id text, batch_id bigint, contact_version int, content_version int, link_count int, from_key text, address text, to_key text, failure text, not_before timestamptz, expired boolean, provider text)
    ), held as (
      select m.template_id, m.contact_id, m.campaign_id, m.execution_id, m.lane, m.priority, m.attempt, m.created_at, b.released_at, a.*
      from asked a join emails m on m.id = a.id
      left join email_batches b on b.id = a.batch_id and b.holder = ${holder} and b.lease_until > now()
      where m.status = 'QUEUED' and case when m.next_attempt_at is null then b.id is not null else m.holder = ${holder} and m.lease_until > now() end
      for update of m skip locked
    ), judged as (
      select e.*, ${refusalAtStart(sql`e.from_key`)} as refusal, k.status = 'PAUSED' and e.lane = 'bulk' as paused, c.version is distinct from e.contact_version as stale,
        -- Caps are asked when the email is due, and not before what arrived with it can be seen.
        not e.expired and e.not_before is null and v.capped as capped, v.reason as cap_reason,
        v.waits or not ${isCapLocked(sql`e.contact_id`)} as cap_waits, greatest(v.asks_at, now() + interval '200 ms') as asks_at
      from held e ${gateJoins} ${capJoin}
    ), asked_caps as (
      select j.*, coalesce(refusal, case when expired then 'expired' when capped and not cap_waits then cap_reason end) as reason,
        capped and cap_waits as gathers
      from judged j
    ), decided as materialized (
      select j.*, case when reason is not null then 'SUPPRESSED' when paused then 'QUEUED' when failure is not null then 'FAILED'
                       when not_before is not null or gathers or stale then 'QUEUED' else 'SENDING' end as new_status
      from asked_caps j
    ), changed as (
      update emails m set
        status = d.new_status,
        reason = case d.new_status when 'SUPPRESSED' then d.reason when 'FAILED' then d.failure end,
        attempt = m.attempt + (d.new_status = 'SENDING')::int,
        holder = case when d.new_status = 'SENDING' then ${name} end,
        lease_until = case when d.new_status = 'SENDING' then now() + make_interval(secs => ${leaseSeconds}) end,
        provider = case when d.new_status = 'SENDING' then d.provider else m.provider end,
        -- Emails of a paused campaign count as not released until it is resumed.
        accepted_at = case when d.new_status = 'QUEUED' and d.paused then null else coalesce(m.accepted_at, d.released_at) end,
        -- An email of a batch stays with it only if it is started or ends now.
        next_attempt_at = case when d.new_status <> 'QUEUED' then m.next_attempt_at when d.paused then null
                               else coalesce(d.not_before, case when d.gathers then d.asks_at end, m.next_attempt_at, now()) end,
        held_until = case when d.new_status = 'QUEUED' then d.not_before end,
        to_address = coalesce(d.address, m.to_address),
        content_version = coalesce(d.content_version, m.content_version),
        link_count = coalesce(d.link_count, m.link_count),
        ${addToTimelineIf(sql`d.new_status = 'FAILED'`)},
        updated_at = now()
      from decided d where m.id = d.id
      returning ${toldColumns}, m.attempt
    ), told as (${insertDeliveryEvents(sql`(select * from changed where status = 'FAILED')`)})
    select id, status, attempt from changed`;
}
