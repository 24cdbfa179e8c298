import type { Channel } from '../../../db/entities/channels.ts';
import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { isReleased } from './released.ts';

/**
 * How long after it was queued a message under a cap waits, so that what arrives in the same moment competes by
 * priority, not by which sender is faster.
 */
export const GATHER_SECONDS = 1;
export const DEFAULT_PRIORITY = 5;
const GATHER = sql.raw(`interval '${GATHER_SECONDS} s'`);

/** An email or message that asks for a slot. All fields are SQL. */
export interface CapSubject {
  /** `email` or `message`: the ledger of `id`. */
  kind: 'email' | 'message';
  id: RawBuilder<unknown>;
  tenantId: RawBuilder<unknown>;
  contactId: RawBuilder<unknown>;
  channel: RawBuilder<unknown>;
  priority: RawBuilder<unknown>;
  queuedAt: RawBuilder<unknown>;
}

/** The messages that take a contact's slots. All fields are SQL. */
interface Slots {
  tenantId: RawBuilder<unknown>;
  contactId: RawBuilder<unknown>;
  /** A jsonb array of channels. */
  channels: RawBuilder<unknown>;
  days: RawBuilder<unknown>;
  /** Of QUEUED messages, only those that are due and come before it count; without it, all do. */
  before?: CapSubject;
}

/** The priority of an email `o`, whose email campaign is `k`. */
export const emailPriority = (o: RawBuilder<unknown>, k: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce(${o}.priority, ${k}.priority, ${sql.lit(DEFAULT_PRIORITY)})`;

/** Whether the QUEUED row of `kind` with these columns has its turn before `subject`. */
function comesBefore(
  kind: CapSubject['kind'],
  o: { id: RawBuilder<unknown>; priority: RawBuilder<unknown>; queuedAt: RawBuilder<unknown> },
  subject: CapSubject,
): RawBuilder<unknown> {
  const { priority, queuedAt, id } = subject;
  const earlier =
    kind === subject.kind
      ? sql`(${o.queuedAt}, ${o.id}) < (${queuedAt}, ${id})`
      : kind === 'email'
        ? sql`${o.queuedAt} <= ${queuedAt}`
        : sql`${o.queuedAt} < ${queuedAt}`;
  return sql`(${o.priority} > ${priority} or ${o.priority} = ${priority} and ${earlier})`;
}

/** Whether a slot that was taken at `at` (null: not yet) went to a higher priority while `subject` was waiting for it. */
const outranks = (priority: RawBuilder<unknown>, at: RawBuilder<unknown>, subject?: CapSubject): RawBuilder<unknown> =>
  subject ? sql`${priority} > ${subject.priority} and coalesce(${at} > ${subject.queuedAt}, true)` : sql`false`;

const others = (kind: CapSubject['kind'], subject?: CapSubject): RawBuilder<unknown> =>
  subject?.kind === kind ? sql`o.id <> ${subject.id}` : sql`true`;

/**
 * A query for the marketing emails and messages that take a contact's slots: `channel`, `at` (when it was handed over;
 * null = not yet) and `higher` (it outranked the subject). The rule is the same for every cap: what was handed to a
 * provider within the days, and what is QUEUED. A message that was started has its slot until it is handed over, however
 * long that takes, and its days begin then. SUPPRESSED and FAILED ones do not count, nor do emails of a campaign that
 * were not released yet. A message for several devices is one row.
 */
export function slotsTaken({ tenantId, contactId, channels, days, before }: Slots): RawBuilder<unknown> {
  const since = sql`now() - make_interval(days => ${days})`;
  const priority = emailPriority(sql`o`, sql`ok`);
  const sentAt = sql`case when o.status <> 'QUEUED' then coalesce(o.sent_at, o.updated_at) end`;
  // What may have been handed over counts from when nobody could tell any more.
  const handedAt = sql`case o.status when 'UNKNOWN' then o.updated_at when 'QUEUED' then null when 'SENDING' then null else coalesce(o.sent_at, o.started_at) end`;
  // What only waits for others that arrived with it is due too.
  const soon = sql`now() + ${GATHER}`;
  // An email that was tried before has its slot already.
  const emailWaits = before
    ? sql`(o.attempt > 0 or coalesce(o.next_attempt_at <= ${soon}, true)
        and ${comesBefore('email', { id: sql`o.id`, priority, queuedAt: sql`o.created_at` }, before)})`
    : sql`true`;
  const messageWaits = before
    ? sql`exists (select 1 from message_sends os where os.tenant_id = o.tenant_id and os.message_id = o.id
          and os.status = 'QUEUED' and os.next_attempt_at <= ${soon})
        and ${comesBefore('message', { id: sql`o.id`, priority: sql`o.priority`, queuedAt: sql`o.created_at` }, before)}`
    : sql`true`;
  return sql`
    select 'email' as channel, ${sentAt} as at, ${outranks(priority, sentAt, before)} as higher
    from emails o
    join email_templates ot on ot.tenant_id = o.tenant_id and ot.id = o.template_id and ot.category = 'marketing'
    left join email_campaigns ok on ok.tenant_id = o.tenant_id and ok.id = o.campaign_id
    where o.tenant_id = ${tenantId} and o.contact_id = ${contactId} and jsonb_exists(${channels}, 'email') and ${others('email', before)}
      and (o.status not in ('QUEUED', 'SUPPRESSED', 'FAILED') and coalesce(o.sent_at, o.updated_at) > ${since}
        or o.status = 'QUEUED' and ${isReleased(sql`o`)} and ${emailWaits})
    union all
    select o.channel, ${handedAt}, ${outranks(sql`o.priority`, sql`o.started_at`, before)}
    from (
      select * from messages where tenant_id = ${tenantId} and contact_id = ${contactId}
      -- Texts to the number of the contact.
      union all select * from messages where tenant_id = ${tenantId} and contact_id is null
        and to_address = (select phone_e164 from contacts where tenant_id = ${tenantId} and id = ${contactId})) o
    where o.category = 'marketing' and jsonb_exists(${channels}, o.channel)
      and ${others('message', before)} and o.status not in ('SUPPRESSED', 'FAILED')
      and (o.started_at is not null and coalesce(${handedAt} > ${since}, true) or o.started_at is null and o.status = 'QUEUED' and ${messageWaits})`;
}

/**
 * A query of one row that asks all caps of the tenant for a slot for the subject, which is marketing, due and was never
 * started: `capped` (a cap concerns it), `reason` (`frequency_cap`; `outranked` if it would have a slot but for messages
 * of a higher priority; null if it has one) and `waits` (it is too early to say, ask again at `asks_at`). A subject
 * without a contact has no cap. The caller has locked the contact (`lockCapped`) in an earlier statement of its
 * transaction: what starts at once for one contact must be counted one by one.
 */
export const askCaps = (subject: CapSubject): RawBuilder<unknown> => sql`
  select count(*) > 0 as capped,
    case when bool_or(n.others >= n.max) then 'frequency_cap' when bool_or(n.taken >= n.max) then 'outranked' end as reason,
    ${subject.queuedAt} + ${GATHER} > now() as waits, ${subject.queuedAt} + ${GATHER} as asks_at
  from channel_settings cs cross join lateral jsonb_array_elements(cs.caps) cap
  cross join lateral (
    select count(*) as taken, count(*) filter (where not coalesce(slot.higher, false)) as others, (cap ->> 'max')::int as max
    from (${slotsTaken({
      tenantId: subject.tenantId,
      contactId: subject.contactId,
      channels: sql`cap -> 'channels'`,
      days: sql`(cap ->> 'perDays')::int`,
      before: subject,
    })}) slot offset 0) n
  where cs.tenant_id = ${subject.tenantId} and ${subject.contactId} is not null and jsonb_exists(cap -> 'channels', ${subject.channel})`;

/**
 * A statement that locks those of these contacts that no other transaction has locked, in the order of their ids, until
 * the transaction ends. `isCapLocked` tells a later statement which.
 */
export const lockCapped = (contactIds: readonly number[]): RawBuilder<unknown> => sql`
  select set_config('app.capped', coalesce(array_agg(id), '{}')::text, true) from (
    select id from contacts where id = any(${[...contactIds]}::bigint[]) order by id for no key update skip locked) locked`;

export const isCapLocked = (contactId: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce(${contactId} = any(nullif(current_setting('app.capped', true), '')::bigint[]), false)`;

/** A cap over the marketing messages of some channels. */
export interface Cap {
  channels: readonly Channel[];
  max: number;
  perDays: number;
}

/**
 * Whether a cap that is asked when a message is queued forbids another one to a contact: all that is QUEUED counts. The
 * caller has locked the contact.
 */
export async function isCapFull(tx: EntityManager, tenantId: string, contactId: number, cap: Cap): Promise<boolean> {
  const [found] = await rows<{ n: number }>(
    tx,
    sql`select count(*) as n from (${slotsTaken({
      tenantId: sql`${tenantId}`,
      contactId: sql`${contactId}::bigint`,
      channels: sql`${JSON.stringify(cap.channels)}::jsonb`,
      days: sql`${cap.perDays}::int`,
    })}) slot`,
  );
  return found!.n >= cap.max;
}
