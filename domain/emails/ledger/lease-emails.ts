import { preparedHint, rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import type { EmailLane } from '../../../db/entities/emails.ts';
import { companyJoin, contactColumns, contactOf, type ContactRow } from '../rendering/template-contact.ts';
import type { HoursRules } from '../../delivery/gates/hours.ts';
import { pickInTurn } from '../../delivery/pick-in-turn.ts';
import { quietHoursJoin } from '../../delivery/gates/quiet-hours.ts';
import { emailsOfBatch, leaseEmailBatches, releaseBatchLeases } from './email-batches.ts';
import type { ContactValues } from '../rendering/template-values.ts';

/** The tenant's rules of hours, with the person's quiet hours. */
export type EmailHours = Pick<HoursRules, 'sendWindow' | 'tenantTimezone' | 'maxHoldHours' | 'quietHours'>;

/** A QUEUED email that this holder may render; nobody else can lease it before the lease expires. */
export interface LeasedEmail {
  id: number;
  tenantId: string;
  lane: EmailLane;
  /** The batch whose lease is the email's; null if it is leased singly. */
  batchId: number | null;
  templateId: number;
  /** Null if the template was deleted. */
  contentVersion: number | null;
  /** Set for an email of the service itself. */
  systemKey: string | null;
  /** When marketing email may be sent; null for other email. */
  hours: EmailHours | null;
  /** Since when it waits for its hours. */
  heldSince: Date;
  /** Whether caps of the tenant concern it. */
  isCapped: boolean;
  campaignId: number | null;
  contactId: number | null;
  /** The version of the contact in `contact`. */
  contactVersion: number | null;
  contact: ContactValues | null;
  /** The recipient's address; null if the contact was deleted. */
  address: string | null;
  data: Record<string, unknown> | null;
  /** How often the email was started so far. */
  attempt: number;
}

interface LeasedRow extends ContactRow {
  id: number;
  tenant_id: string;
  lane: EmailLane;
  batch_id: number | null;
  template_id: number;
  content_version: number | null;
  system_key: string | null;
  hours: EmailHours | null;
  held_since: Date;
  is_capped: boolean;
  campaign_id: number | null;
  contact_id: number | null;
  contact_version: number | null;
  address: string | null;
  data: Record<string, unknown> | null;
  attempt: number;
}

export interface Lease {
  holder: string;
  lane: EmailLane;
  limit: number;
  seconds: number;
  /** The most that are leased of these tenants. */
  most?: Readonly<Record<string, number>>;
}

/**
 * Leases about `limit` due emails of a lane that senders may take, an equal number from every tenant that has some,
 * oldest first; of some, no more than `most` says. They stay QUEUED: a holder that dies has sent none of them, and they are free again when the lease
 * expires. Emails of email campaigns are leased with their batches, about half of `limit` if there are others: those
 * that were requeued. Runs an engine transaction.
 */
export async function leaseEmails(em: EntityManager, lease: Lease): Promise<LeasedEmail[]> {
  return em.transactional(async (tx) => {
    if (lease.lane !== 'bulk') return leaseSingly(tx, lease);
    const half = Math.ceil(lease.limit / 2);
    const first = await leaseEmailBatches(tx, { ...lease, limit: half });
    const single = await leaseSingly(tx, { ...lease, limit: Math.max(1, lease.limit - first.emails) });
    const room = lease.limit - first.emails - single.length;
    const more = first.emails >= half && room > 0 ? await leaseEmailBatches(tx, { ...lease, limit: room }) : null;
    const batchIds = [...first.ids, ...(more?.ids ?? [])];
    return batchIds.length === 0 ? single : [...single, ...(await readBatches(tx, batchIds))];
  });
}

async function leaseSingly(tx: EntityManager, lease: Lease): Promise<LeasedEmail[]> {
  const ready = {
    name: 'emails',
    key: 'id',
    isWaiting: sql`l.stage = 'open' and l.status = 'QUEUED' and l.lane = ${lease.lane}`,
    isFree: sql`l.next_attempt_at <= now() and (l.lease_until is null or l.lease_until <= now())`,
    order: sql`l.next_attempt_at, l.id`,
  } as const;
  return readLeased(
    tx,
    sql`
    recursive ${pickInTurn(ready, lease)}, taken as (
      update emails e set holder = ${lease.holder}, lease_until = now() + make_interval(secs => ${lease.seconds})
      from picked where e.tenant_id = picked.tenant_id and e.id = picked.id
      returning e.*, null::bigint as batch_id
    )`,
  );
}

const readBatches = (tx: EntityManager, batchIds: readonly number[]): Promise<LeasedEmail[]> =>
  readLeased(
    tx,
    sql`
    taken as (
      select e.*, b.id as batch_id from email_batches b cross join lateral ${emailsOfBatch('QUEUED')} e
      where b.id = any(${batchIds}::bigint[])
    )`,
  );

/** Reads the leased emails with what rendering needs. `taken` is a common table expression of that name. */
async function readLeased(tx: EntityManager, taken: RawBuilder<unknown>): Promise<LeasedEmail[]> {
  const leased = await rows<LeasedRow>(
    tx,
    sql`${preparedHint}
    with ${taken}
    select e.id, e.tenant_id, e.lane, e.batch_id, e.template_id, t.content_version, t.system_key, 
           case when t.category = 'marketing' and (s.send_windows -> 'email' <> 'null' or q.quiet_hours is not null) then jsonb_build_object(
             'sendWindow', s.send_windows -> 'email', 'tenantTimezone', coalesce(s.timezone, 'UTC'),
             'maxHoldHours', coalesce(s.max_hold_hours, 24), 'quietHours', q.quiet_hours) end as hours,
           coalesce(e.accepted_at, now()) as held_since,
           t.category = 'marketing' and e.attempt = 0 and exists (select 1 from jsonb_array_elements(s.caps) cap where jsonb_exists(cap -> 'channels', 'email')) as is_capped,
           e.campaign_id, e.contact_id, c.version as contact_version, ${contactColumns},
           case when e.contact_id is null then e.to_address else c.email end as address, e.data, e.attempt
    from taken e
    left join email_templates t on t.tenant_id = e.tenant_id and t.id = e.template_id
    left join channel_settings s on s.tenant_id = e.tenant_id and t.category = 'marketing'
    left join lateral (select * from contacts where tenant_id = e.tenant_id and id = e.contact_id offset 0) c on true
    ${quietHoursJoin(sql`t.category = 'marketing'`)}
    ${companyJoin}
    -- Not by id: one that is refused again and again would be first each time, and a resting provider is tried by the first.
    order by row_number() over (partition by e.tenant_id order by e.next_attempt_at, e.id)`,
  );
  return leased.map((row) => ({
    id: row.id,
    tenantId: row.tenant_id,
    lane: row.lane,
    batchId: row.batch_id,
    templateId: row.template_id,
    contentVersion: row.content_version,
    systemKey: row.system_key,
    hours: row.hours,
    heldSince: row.held_since,
    isCapped: row.is_capped,
    campaignId: row.campaign_id,
    contactId: row.contact_id,
    contactVersion: row.contact_version,
    contact: contactOf(row),
    address: row.address,
    data: row.data,
    attempt: row.attempt,
  }));
}

/**
 * Ends the leases of emails, and of all batches of the holder, so that they need not wait for the leases to expire.
 * Called when the holder stops.
 */
export async function releaseLeases(em: EntityManager, holder: string, ids: readonly number[]): Promise<void> {
  await em.transactional(async (tx) => {
    await releaseBatchLeases(tx, holder);
    if (ids.length === 0) return;
    await rows(
      tx,
      sql`
    update emails set holder = null, lease_until = null
    where id in (select id from emails where id = any(${ids}::bigint[]) and status = 'QUEUED' and holder = ${holder} for update skip locked)`,
    );
  });
}

/** Ends the leases of emails and postpones them, so that others go first. Those of batches are leased singly from then on. */
export async function putOffEmails(
  em: EntityManager,
  holder: string,
  emails: readonly { id: number; delayMs: number }[],
): Promise<void> {
  if (emails.length === 0) return;
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    update emails e set holder = null, lease_until = null, accepted_at = coalesce(e.accepted_at, now()), next_attempt_at = now() + make_interval(secs => r."delayMs" / 1000)
    from jsonb_to_recordset(${JSON.stringify(emails)}::jsonb) as r(id bigint, "delayMs" float8)
    where e.id = r.id and e.status = 'QUEUED' and (e.holder = ${holder} or e.next_attempt_at is null)`,
    ),
  );
}

/**
 * Renews the leases of SENDING emails of this holder, whichever call started them; returns those that it still holds.
 */
export async function renewLeases(
  em: EntityManager,
  holder: string,
  ids: readonly number[],
  seconds: number,
): Promise<number[]> {
  if (ids.length === 0) return [];
  const held = await em.transactional((tx) =>
    rows<{ id: number }>(
      tx,
      sql`
    update emails set lease_until = now() + make_interval(secs => ${seconds})
    where id = any(${ids}::bigint[]) and status = 'SENDING' and split_part(holder, '/', 1) = ${holder} and lease_until > now()
    returning id`,
    ),
  );
  return held.map((row) => row.id);
}
