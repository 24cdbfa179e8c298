import type { EmailStatus } from '../../../db/entities/emails.ts';
import { preparedHint, rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { FAR } from '../../delivery/gates/released.ts';

/** Emails per batch: a sender leases one or a few at a time. */
const EMAILS_PER_BATCH = 200;

/** Whether an email of a campaign was not requeued. */
const isUntouched = sql`coalesce(next_attempt_at, ${FAR}) >= ${FAR}`;

/**
 * The emails of a batch `b` with one of these statuses, without those that were requeued. Looked up one by one, so that
 * the primary key is used whatever statistics the planner has.
 */
export const emailsOfBatch = (...statuses: EmailStatus[]): RawBuilder<unknown> => sql`
  (select e.* from unnest(b.email_ids) as listed(id) cross join lateral (
    select * from emails where id = listed.id and next_attempt_at is null and status = any(${statuses}::text[]) offset 0) e)`;

/** Whether a batch `b` has emails that may still be started, or are SENDING. */
const isUnfinished = sql`exists (select 1 from ${emailsOfBatch('QUEUED', 'SENDING')} e)`;

/**
 * A statement (or part of one) that inserts the emails of an email campaign, not released yet. `source` has tenant_id,
 * send_key, template_id, contact_id, campaign_id, variant, due_at and reason (why a gate refuses it, or null). `isRestored`:
 * they may have been sent before Postgres was put back to an older copy, so they are UNKNOWN.
 */
export const insertCampaignEmails = (source: RawBuilder<unknown>, isRestored = false): RawBuilder<unknown> => sql`
  insert into emails (tenant_id, send_key, template_id, contact_id, campaign_id, lane, variant, due_at, next_attempt_at, status, reason)
  select tenant_id, send_key, template_id, contact_id, campaign_id, 'bulk', variant, due_at, null,
         case when reason is not null then 'SUPPRESSED' when ${isRestored} then 'UNKNOWN' else 'QUEUED' end,
         case when ${isRestored} then coalesce(reason, 'restored') else reason end
  from ${source} s order by contact_id
  on conflict (tenant_id, send_key) do nothing`;

/** The emails of a campaign that may be released. */
export interface Unreleased {
  tenantId: string;
  campaignId: number;
  /** Only emails with larger ids. */
  after: number;
  /** During a test: only emails with a variant. */
  onlyVariants: boolean;
  /** For local times: only emails that are due. */
  now: Date;
}

/**
 * Releases up to `limit` emails to the senders, in id order: inserts batches of them, and writes none of the emails,
 * except that those without a variant get the `winner` of the test, if there is one. Returns how many, and the last id.
 * The caller has locked the campaign.
 */
export async function releaseEmailBatches(
  tx: EntityManager,
  { tenantId, campaignId, after, onlyVariants, now }: Unreleased,
  winner: { name: string; templateId: number } | null,
  limit: number,
): Promise<{ count: number; lastId: number | null }> {
  const setWinner = sql`, won as (
      update emails e set variant = ${winner?.name}, template_id = ${winner?.templateId}, updated_at = now()
      from next where e.id = next.id and e.variant is null
    )`;
  const [released] = await rows<{ count: number; lastId: number | null }>(
    tx,
    sql`
    with next as (
      select id, next_attempt_at from emails
      where tenant_id = ${tenantId} and campaign_id = ${campaignId} and id > ${after} and lane = 'bulk' and status = 'QUEUED' and ${isUntouched}
        and (due_at is null or due_at <= ${now}) ${onlyVariants ? sql`and variant is not null` : sql``}
        and id not in (select unnest(email_ids) from email_batches where tenant_id = ${tenantId} and campaign_id = ${campaignId})
      order by id limit ${limit}
    ), upgraded as (
      update emails e set next_attempt_at = null from next where e.id = next.id and next.next_attempt_at is not null
    ), batches as (
      insert into email_batches (tenant_id, campaign_id, email_ids)
      select ${tenantId}, ${campaignId}, array_agg(id order by id)
      from (select id, (row_number() over (order by id) - 1) / ${sql.lit(EMAILS_PER_BATCH)} as batch from next) n
      group by batch order by batch
    ) ${winner ? setWinner : sql``}
    select count(*) as count, max(id) as "lastId" from next`,
  );
  return released!;
}

/**
 * Leases free batches with about `limit` emails, one of each tenant in turn, oldest first, and deletes the finished
 * ones. Batches of a paused campaign are not leased; nor are those of a tenant in `most` that may have none, or has emails that
 * are leased singly: of these, a batch has more than it may have, and the rest is given back. Returns the ids of the batches, and how many emails were released
 * with them.
 */
export async function leaseEmailBatches(
  tx: EntityManager,
  lease: { holder: string; limit: number; seconds: number; most?: Readonly<Record<string, number>> },
): Promise<{ ids: number[]; emails: number }> {
  const isFree = sql`(b.lease_until is null or b.lease_until <= now())`;
  const most = sql`(${JSON.stringify(lease.most ?? {})}::jsonb ->> b.tenant_id)::int`;
  const mayLease = sql`(${most} is null or ${most} > 0 and not exists (
        select 1 from emails s where s.tenant_id = b.tenant_id and s.stage = 'open' and s.status = 'QUEUED' and s.lane = 'bulk' and s.next_attempt_at <= now()))`;
  const leased = await rows<{ id: number; emails: number }>(
    tx,
    sql`${preparedHint}
    with finished as (
      delete from email_batches where id in (
        select id from email_batches b where b.holder is not null and not ${isUnfinished} for update skip locked)
    ), free as (
      select b.id, cardinality(b.email_ids) as size, row_number() over (partition by b.tenant_id order by b.id) as turn
      from email_batches b join email_campaigns k on k.tenant_id = b.tenant_id and k.id = b.campaign_id and k.status = 'SENDING'
      where ${isFree} and ${mayLease} and (b.holder is null or exists (select 1 from ${emailsOfBatch('QUEUED')} e))
    ), picked as (
      select b.id from free join email_batches b on b.id = free.id
      where ${isFree}
      order by free.turn, random()
      limit (select ceil(${lease.limit}::numeric / avg(size)) from free)
      for update of b skip locked
    )
    update email_batches b set holder = ${lease.holder}, lease_until = now() + make_interval(secs => ${lease.seconds})
    from picked where b.id = picked.id returning b.id, cardinality(b.email_ids) as emails`,
  );
  return { ids: leased.map(({ id }) => id), emails: leased.reduce((sum, { emails }) => sum + emails, 0) };
}

/** Ends the leases of all batches of a holder, so that they need not wait for the leases to expire. */
export async function releaseBatchLeases(tx: EntityManager, holder: string): Promise<void> {
  await rows(tx, sql`update email_batches set lease_until = now() where holder = ${holder} and lease_until > now()`);
}

/** Deletes finished batches, also those that nobody has leased: the emails of a cancelled campaign. */
export async function deleteFinishedBatches(tx: EntityManager): Promise<void> {
  await rows(
    tx,
    sql`
    delete from email_batches where id in (
      select id from email_batches b where not ${isUnfinished} for update skip locked)`,
  );
}

/**
 * How many QUEUED emails of a tenant's batches senders have not started yet: `all`, and `own` of one campaign. Emails
 * of batches that nobody has leased are counted without a look at them.
 */
export const countBatched = (tenantId: string, campaignId: number): RawBuilder<unknown> => sql`
  select coalesce(sum(n), 0) as all, coalesce(sum(n) filter (where campaign_id = ${campaignId}), 0) as own from (
    select b.campaign_id, case when b.holder is null then cardinality(b.email_ids) else (
      select count(*) from ${emailsOfBatch('QUEUED')} e) end as n
    from email_batches b where b.tenant_id = ${tenantId}) c`;
