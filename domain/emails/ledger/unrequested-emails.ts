import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';
import { EMAIL_LANES } from '../../../db/entities/emails.ts';

/**
 * The `next_attempt_at` of an email campaign's email that was not requested yet, or whose campaign was paused when it
 * started: neither senders nor the reconciler take it.
 */
export const UNREQUESTED_UNTIL = sql`'9999-12-31T00:00:00Z'::timestamptz`;

/**
 * A statement (or part of one) that inserts the emails of an email campaign, not requested yet. `source` has tenant_id,
 * send_key, template_id, contact_id, campaign_id, variant, due_at and reason (why a gate refuses it, or null).
 */
export const insertUnrequestedEmails = (source: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into emails (tenant_id, send_key, template_id, contact_id, campaign_id, lane, variant, due_at, next_attempt_at, status, reason)
  select tenant_id, send_key, template_id, contact_id, campaign_id, 'bulk', variant, due_at, ${UNREQUESTED_UNTIL},
         case when reason is null then 'QUEUED' else 'SUPPRESSED' end, reason
  from ${source} s order by contact_id
  on conflict (tenant_id, send_key) do nothing`;

/** The emails of a campaign that may be released. */
export interface Unrequested {
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
 * Releases up to `limit` emails to the senders, in id order. Those without a variant get the `winner` of the test, if
 * there is one. Returns how many, and the last id.
 */
export async function releaseUnrequested(
  tx: EntityManager,
  { tenantId, campaignId, after, onlyVariants, now }: Unrequested,
  winner: { name: string; templateId: number } | null,
  limit: number,
): Promise<{ count: number; lastId: number | null }> {
  const variant = winner
    ? sql`variant = coalesce(e.variant, ${winner.name}), template_id = case when e.variant is null then ${winner.templateId} else e.template_id end,`
    : sql``;
  const [released] = await rows<{ count: number; lastId: number | null }>(
    tx,
    sql`
    with next as (
      select id from emails
      where tenant_id = ${tenantId} and campaign_id = ${campaignId} and id > ${after} and lane = 'bulk' and status = 'QUEUED' and accepted_at is null
        and (due_at is null or due_at <= ${now}) ${onlyVariants ? sql`and variant is not null` : sql``}
      order by id limit ${limit} for update
    ), released as (
      update emails e set ${variant} accepted_at = now(), next_attempt_at = now(), updated_at = now()
      from next where e.id = next.id
      returning e.id
    )
    select count(*) as count, max(id) as "lastId" from released`,
  );
  return released!;
}

/**
 * Makes accepted emails (stage `open`, so no unrequested ones) that were postponed to a send window due at once, after
 * the window was changed: those never tried, and those postponed for longer than a retry (an hour). Emails that must
 * still wait are postponed again.
 */
export async function duePostponedEmails(tx: EntityManager, tenantId: string): Promise<void> {
  await rows(
    tx,
    sql`
    update emails set next_attempt_at = now() where id in (
      select id from emails
      where tenant_id = ${tenantId} and lane = any(${[...EMAIL_LANES]}::text[]) and stage = 'open' and status = 'QUEUED'
        and next_attempt_at > now() + case when attempt = 0 then interval '0' else interval '1 hour' end
      order by id for update)`,
  );
}
