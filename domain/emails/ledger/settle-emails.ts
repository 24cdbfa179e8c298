import { preparedHint, rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import type { EmailStatus } from '../../../db/entities/emails.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import { settleByBounces, settleByHits } from './settle-by-evidence.ts';
import { addToTimelineIf, insertDeliveryEvents, toldColumns } from './delivery-events.ts';

/** How long an email is retried; as long as mail servers should retry (RFC 5321 section 4.5.4.1). */
const EXPIRES_AFTER_DAYS = 3;

/** The outcome of one attempt, reported by its holder. */
export interface Settlement {
  id: number;
  tenantId: string;
  attempt: number;
  /**
   * The name of a startEmails call whose result is unknown. If it started the email, that attempt is settled, whatever
   * its number. If not, the email's lease is removed (an email of a batch is requeued singly), so that a late commit of
   * the call can no longer start it.
   */
  start?: string;
  /** host:port; null if no provider was tried: then no attempt is recorded. */
  provider: string | null;
  /**
   * SENT: accepted. FAILED: permanently refused. QUEUED: surely not sent, to be retried. UNKNOWN: it may have been
   * accepted; never retried automatically.
   */
  result: Extract<EmailStatus, 'SENT' | 'FAILED' | 'QUEUED' | 'UNKNOWN'>;
  /** The provider's reply, or the error. */
  reply: string | null;
  /** QUEUED: seconds until the next attempt. */
  delaySeconds?: number;
}

export interface SettledEmail {
  id: number;
  tenantId: string;
  status: EmailStatus;
  reason: string | null;
}

const expired = sql`coalesce(m.accepted_at < now() - make_interval(days => ${sql.lit(EXPIRES_AFTER_DAYS)}), false)`;

/**
 * The statement that settles attempts: updates the ledger, records the attempts, and writes EMAIL_SENT for emails that
 * are SENT or FAILED. It changes an email only if (id, attempt) matches and the status is SENDING, or UNKNOWN because
 * the recovery thought the holder dead. So it is idempotent and can be repeated if its own result is unknown.
 */
export function applySettlements(settlements: readonly Settlement[]): RawBuilder<unknown> {
  const payload = JSON.stringify(
    settlements.map((s) => ({
      id: s.id,
      tenant_id: s.tenantId,
      attempt: s.attempt,
      start: s.start,
      provider: s.provider,
      result: s.result,
      reply: s.reply,
      delay: s.delaySeconds ?? 0,
    })),
  );
  // Lock in id order, as all code that locks several emails does.
  return sql`${preparedHint}
    with asked as materialized (
      select * from jsonb_to_recordset(${payload}::jsonb) as r(id bigint, tenant_id text, attempt int, start text, provider text, result text, reply text, delay float8) order by id
    ), changed as (
      update emails m set
        status = case a.result when 'QUEUED' then case when ${expired} then 'FAILED' else 'QUEUED' end else a.result end,
        reason = case a.result when 'QUEUED' then case when ${expired} then 'expired' end when 'FAILED' then 'rejected' when 'UNKNOWN' then 'no_reply' end,
        provider = coalesce(a.provider, m.provider),
        sent_at = case when a.result = 'SENT' then now() end,
        reply = case when a.result = 'SENT' then a.reply end,
        -- An email of a batch that is QUEUED again is accepted by itself, and leased singly from now on.
        next_attempt_at = case when a.result = 'QUEUED' and not ${expired} then now() + make_interval(secs => a.delay) else m.next_attempt_at end,
        accepted_at = coalesce(m.accepted_at, now()),
        ${addToTimelineIf(sql`a.result in ('SENT', 'FAILED') or (a.result = 'QUEUED' and ${expired})`)},
        holder = null, lease_until = null, updated_at = now()
      from asked a
      where m.id = a.id and case when a.start is null then m.attempt = a.attempt and m.status in ('SENDING', 'UNKNOWN')
        -- The start may still commit: either this waits for it, or the start finds its lease removed.
        else (m.status in ('SENDING', 'UNKNOWN') and m.holder = a.start) or (m.status = 'QUEUED' and (m.holder = split_part(a.start, '/', 1) or m.next_attempt_at is null)) end
      returning ${toldColumns}, m.reason, m.attempt, m.provider, a.provider as by, a.reply as said, old.status as was
    ), attempts as (
      insert into email_attempts (tenant_id, email_id, attempt, provider, outcome, reply)
      select tenant_id, id, attempt, provider, case reason when 'expired' then 'expired' else lower(status) end, said from changed
      -- An accepted attempt needs no row, because the email shows it, and neither does one without a provider, unless it
      -- was in doubt and has a row already.
      where provider is not null and (was = 'UNKNOWN' or (by is not null and status <> 'SENT'))
      on conflict (tenant_id, email_id, attempt) do update set provider = excluded.provider, outcome = excluded.outcome, reply = excluded.reply, at = now()
    ), told as (${insertDeliveryEvents(sql`(select * from changed where status in ('SENT', 'FAILED'))`)})
    select id, tenant_id as "tenantId", status, reason from changed`;
}

/** Settles attempts, in the engine transaction `tx`. Returns the emails that it settled. */
export async function settleEmails(tx: EntityManager, settlements: readonly Settlement[]): Promise<SettledEmail[]> {
  const settled = await rows<SettledEmail>(tx, applySettlements(settlements));
  if (settled.some(({ status }) => status === 'SENT' || status === 'FAILED')) touchOutbox(tx, 'outbox_events');
  await settleByBounces(
    tx,
    settled.filter(({ status }) => status === 'SENT' || status === 'UNKNOWN'),
  );
  await settleByHits(
    tx,
    settled.filter(({ status }) => status === 'UNKNOWN'),
  );
  return settled;
}
