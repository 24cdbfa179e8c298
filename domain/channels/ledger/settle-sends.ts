import { preparedHint, rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { touchOutbox } from '../../../events/outbox.ts';
import type { ChannelSuppressionReason } from '../../../db/entities/channels.ts';
import { changeDevices, lockOwners } from '../queue/device-owners.ts';
import { EXPIRES_AFTER_HOURS } from '../../delivery/gates/message-gates.ts';
import { optOutAtProvider } from '../queue/opt-out.ts';
import { applyReports } from './apply-reports.ts';
import { noteNotices, takeNoticesBack } from './opt-out-notices.ts';
import { lockMessages, refreshMessages, type LedgerKey } from '../queue/refresh-messages.ts';

/** How long a provider is asked again under the same key; all known ones keep keys for a day. */
export const REPEATABLE_HOURS = 12;

/** The outcome of one attempt, reported by its holder. */
export interface SendSettlement {
  /** Of the send. */
  id: number;
  tenantId: string;
  messageId: number;
  attempt: number;
  /**
   * The name of a call that started sends and whose result is unknown. If it started this one, that attempt is settled,
   * whatever its number; if not, the lease is removed, so that a late commit of the call can no longer start it.
   */
  start?: string;
  /** Null for Web Push, and if none was tried. */
  providerId: number | null;
  /** No attempt is recorded if nothing was tried. */
  wasTried: boolean;
  result: 'SENT' | 'FAILED' | 'QUEUED' | 'UNKNOWN';
  /** Of FAILED and UNKNOWN. */
  reason: string | null;
  providerMessageId: string | null;
  reply: string | null;
  /** QUEUED: seconds until the next attempt. */
  delaySeconds?: number;
  /** What the provider said about the number. */
  suppress?: Extract<ChannelSuppressionReason, 'invalid' | 'unsubscribed'> | null;
  /** The device takes no more pushes. */
  isGone?: boolean;
  /** It may have been accepted, so from now on only this provider may be asked, as it was: the `askedAs` of its request. */
  boundTo?: string;
  /** The text said how to opt out. */
  hasNotice?: boolean;
}

/** The provider may have forgotten the key under which it was asked: it is not asked again. */
const inDoubt = sql`((a.bound_to is not null or s.bound_provider_id is not null) and m.started_at < now() - make_interval(hours => ${sql.lit(REPEATABLE_HOURS)}))`;
/** What refuses the repetition may have accepted the attempt before, whose answer nobody got. */
const refusedAgain = sql`(a.result = 'FAILED' and s.bound_provider_id is not null)`;
const expired = sql`coalesce(m.started_at, m.created_at) < now() - make_interval(hours => ${sql.lit(EXPIRES_AFTER_HOURS)})`;

/**
 * The statement that settles attempts. It changes a send only if (id, attempt) matches and it is SENDING, or UNKNOWN
 * because the recovery thought the holder dead. So it is idempotent and can be repeated if its own result is unknown.
 */
function applySettlements(settlements: readonly SendSettlement[]): RawBuilder<unknown> {
  const payload = JSON.stringify(
    settlements.map((one) => ({
      id: one.id,
      t: one.tenantId,
      attempt: one.attempt,
      start: one.start,
      provider: one.providerId,
      tried: one.wasTried,
      result: one.result,
      reason: one.reason,
      pmid: one.providerMessageId,
      reply: one.reply,
      delay: one.delaySeconds ?? 0,
      bound_to: one.boundTo,
    })),
  );
  return sql`${preparedHint}
    with asked as materialized (
      select * from jsonb_to_recordset(${payload}::jsonb) as r(
        id bigint, t text, attempt int, start text, provider bigint, tried boolean, result text, reason text, pmid text, reply text, delay float8, bound_to text)
      order by id
    ), changed as (
      update message_sends s set
        status = case when ${refusedAgain} then 'UNKNOWN' when a.result <> 'QUEUED' then a.result when ${inDoubt} then 'UNKNOWN' when ${expired} then 'FAILED' else 'QUEUED' end,
        reason = case when ${refusedAgain} then 'no_reply' when a.result <> 'QUEUED' then a.reason when ${inDoubt} then 'no_reply' when ${expired} then 'expired' end,
        bound_provider_id = case when a.bound_to is not null then a.provider else s.bound_provider_id end,
        bound_to = coalesce(a.bound_to, s.bound_to),
        provider_id = coalesce(a.provider, s.provider_id),
        provider_message_id = coalesce(a.pmid, s.provider_message_id),
        sent_at = case when a.result = 'SENT' then now() else s.sent_at end,
        next_attempt_at = case when a.result = 'QUEUED' then now() + make_interval(secs => a.delay) else s.next_attempt_at end,
        holder = null, lease_until = null, updated_at = now()
      from asked a, messages m
      where s.tenant_id = a.t and s.id = a.id and m.tenant_id = s.tenant_id and m.id = s.message_id and case when a.start is null then s.attempt = a.attempt and s.status in ('SENDING', 'UNKNOWN')
        -- The start may still commit: either this waits for it, or the start finds its lease removed.
        else (s.status in ('SENDING', 'UNKNOWN') and s.holder = a.start) or (s.status = 'QUEUED' and s.holder = split_part(a.start, '/', 1)) end
      returning s.id, s.tenant_id, s.message_id, s.status, s.reason, s.attempt, s.provider_id, a.tried, a.reply, old.status as was, old.updated_at as since
    ), attempts as (
      insert into message_attempts (tenant_id, send_id, attempt, provider_id, outcome, reply)
      select tenant_id, id, attempt, provider_id, case reason when 'expired' then 'expired' else lower(status) end, reply from changed
      -- An accepted attempt needs no row, because the message shows it. One that was in doubt has a row already.
      where was = 'UNKNOWN' or tried and status <> 'SENT'
      on conflict (tenant_id, send_id, attempt) do update set outcome = excluded.outcome, reply = excluded.reply, at = now()
    ), taken_back as (
      ${takeNoticesBack(sql`select * from changed where was = 'UNKNOWN' and status not in ('SENT', 'UNKNOWN')`)}
    )
    select id, tenant_id as "tenantId" from changed`;
}

export const keyOf = ({ tenantId, id }: LedgerKey): string => `${tenantId}/${id}`;

/** The messages of settlements, each once. */
export const messagesOf = (settlements: readonly { tenantId: string; messageId: number }[]): LedgerKey[] => [
  ...new Map(
    settlements.map(({ tenantId, messageId: id }) => [keyOf({ tenantId, id }), { tenantId, id }] as const),
  ).values(),
];

/**
 * The statements that settle attempts, with what was reported about them in the meantime, and what they say about
 * numbers. The first returns what it settled. The messages are locked before, and refreshed afterwards.
 */
export function settlementStatements(settlements: readonly SendSettlement[]): RawBuilder<unknown>[] {
  const withNotice = settlements.filter(({ hasNotice }) => hasNotice);
  const refused = settlements.filter(({ suppress }) => suppress);
  return [
    applySettlements(settlements),
    ...(withNotice.length > 0 ? [noteNotices(withNotice)] : []),
    applyReports(settlements),
    ...(refused.length > 0 ? [suppressNumbers(refused)] : []),
  ];
}

/**
 * The provider has the number on its own list of opt-outs, or the device is gone: statements alone do not settle that,
 * but `settleSends`.
 */
export const changesContacts = ({ suppress, isGone }: SendSettlement): boolean =>
  suppress === 'unsubscribed' || isGone === true;

/** Settles attempts in one engine transaction. Returns the number settled. */
export async function settleSends(em: EntityManager, settlements: readonly SendSettlement[]): Promise<number> {
  return em.transactional(async (tx) => {
    const gone = settlements.filter(({ isGone }) => isGone);
    // The contacts first, as everywhere.
    const owners = gone.length > 0 ? await lockOwnersOfSends(tx, gone) : [];
    const messages = messagesOf(settlements);
    await rows(tx, lockMessages(messages));
    const [apply, ...others] = settlementStatements(settlements);
    const settled = await rows<LedgerKey>(tx, apply!);
    for (const statement of [...others, refreshMessages(messages)]) await rows(tx, statement);
    touchOutbox(tx, 'outbox_events');
    if (gone.length > 0) await changeDevices(tx, NO_REQUEST, owners, GONE, () => rows(tx, endSubscriptions(gone)));
    const isSettled = new Set(settled.map(keyOf));
    await optOutAtProvider(
      tx,
      settlements.filter((one) => one.suppress === 'unsubscribed' && isSettled.has(keyOf(one))),
    );
    return settled.length;
  });
}

/** Only of the attempt that was the last: a later one may have had another number, or another device. */
const lastAttempts = (settlements: readonly SendSettlement[]): RawBuilder<unknown> => {
  const payload = JSON.stringify(
    settlements.map(({ tenantId, id, attempt, suppress }) => ({ t: tenantId, id, attempt, r: suppress })),
  );
  return sql`jsonb_to_recordset(${payload}::jsonb) as a(t text, id bigint, attempt int, r text)
    join message_sends s on s.tenant_id = a.t and s.id = a.id and s.attempt = a.attempt`;
};

/** Stores what providers said about numbers. */
const suppressNumbers = (settlements: readonly SendSettlement[]): RawBuilder<unknown> => sql`
  insert into channel_suppressions (tenant_id, channel, address, reason, source)
  select distinct on (m.tenant_id, m.to_address) m.tenant_id, 'sms', m.to_address, a.r, 'provider'
  from ${lastAttempts(settlements)} join messages m on m.tenant_id = s.tenant_id and m.id = s.message_id
  where m.to_address is not null
  order by m.tenant_id, m.to_address, a.r = 'invalid' desc
  on conflict (tenant_id, channel, address) do update set reason = excluded.reason, source = excluded.source
  where excluded.reason = 'invalid' and channel_suppressions.reason <> 'invalid'`;

/** Marks the devices of sends that are gone. */
const endSubscriptions = (settlements: readonly SendSettlement[]): RawBuilder<unknown> => sql`
  update push_subscriptions p set status = 'gone', updated_at = now() from ${lastAttempts(settlements)}
  where p.tenant_id = s.tenant_id and p.id = s.subscription_id and p.status = 'active'`;

const NO_REQUEST = { requestId: null };
const GONE = { subscribed: 'device', unsubscribed: 'gone' };

/** Locks the contacts of the devices of sends. */
async function lockOwnersOfSends(tx: EntityManager, settlements: readonly SendSettlement[]): Promise<LedgerKey[]> {
  const owners = await rows<LedgerKey>(
    tx,
    sql`
    select distinct p.tenant_id as "tenantId", p.contact_id as id
    from ${lastAttempts(settlements)} join push_subscriptions p on p.tenant_id = s.tenant_id and p.id = s.subscription_id
    where p.contact_id is not null`,
  );
  await lockOwners(tx, owners);
  return owners;
}

/** Marks a device that is gone, as its push service said before a push to it was started. Engine `em`. */
export async function markGone(em: EntityManager, { tenantId, id }: LedgerKey): Promise<void> {
  await em.transactional(async (tx) => {
    const owners = await rows<LedgerKey>(
      tx,
      sql`
      select tenant_id as "tenantId", contact_id as id from push_subscriptions
      where tenant_id = ${tenantId} and id = ${id} and contact_id is not null`,
    );
    await lockOwners(tx, owners);
    await changeDevices(tx, NO_REQUEST, owners, GONE, () =>
      rows(
        tx,
        sql`
        update push_subscriptions set status = 'gone', updated_at = now()
        where tenant_id = ${tenantId} and id = ${id} and status = 'active'`,
      ),
    );
  });
}
