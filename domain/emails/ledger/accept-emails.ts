import { preparedHint, rows, sql, type EntityManager } from '../../../db/orm.ts';
import { EMAIL_LANES, type EmailLane } from '../../../db/entities/emails.ts';

/** An email named by a send request of the service itself. */
export interface NamedEmail {
  tenantId: string;
  emailId: number;
}

export interface Accepted {
  /** The lanes in which senders may now lease emails. */
  lanes: EmailLane[];
  /** The named emails that do not exist. */
  missing: NamedEmail[];
}

/**
 * Allows senders to lease QUEUED emails, in the engine transaction `tx`; emails of an email campaign only while it is
 * SENDING. A repeated request, or one for an email that is no longer QUEUED, changes nothing.
 */
export async function acceptEmails(tx: EntityManager, named: readonly NamedEmail[]): Promise<Accepted> {
  if (named.length === 0) return { lanes: [], missing: [] };
  const payload = JSON.stringify(named.map(({ tenantId, emailId }) => ({ tenant_id: tenantId, id: emailId })));
  const asked = sql`jsonb_to_recordset(${payload}::jsonb) as a(tenant_id text, id bigint)`;
  // Looked up one by one, so that the index by id is used whatever the planner's statistics say: a join might read all
  // waiting emails, which can be a whole campaign.
  const accepted = await rows<{ lane: EmailLane; n: number }>(
    tx,
    sql`${preparedHint}
    with accepted as (
      update emails e set accepted_at = now(), updated_at = now(), next_attempt_at = coalesce(e.next_attempt_at, now())
      from (select * from ${asked} order by id) a
      cross join lateral (select id, tenant_id, lane, campaign_id from emails
        where tenant_id = a.tenant_id and id = a.id and status = 'QUEUED' and accepted_at is null for update) m
      left join email_campaigns k on m.lane = 'bulk' and k.tenant_id = m.tenant_id and k.id = m.campaign_id
      where e.id = m.id and (m.lane <> 'bulk' or k.status = 'SENDING')
      returning e.lane
    )
    select lane, count(*) as n from accepted group by lane`,
  );
  const lanes = accepted.map(({ lane }) => lane);
  if (accepted.reduce((sum, { n }) => sum + n, 0) === named.length) return { lanes, missing: [] };
  const missing = await rows<{ tenant_id: string; id: number }>(
    tx,
    sql`
    select a.tenant_id, a.id from ${asked} where not exists (select 1 from emails m where m.tenant_id = a.tenant_id and m.id = a.id)`,
  );
  return { lanes, missing: missing.map((row) => ({ tenantId: row.tenant_id, emailId: row.id })) };
}

/**
 * Makes accepted emails that were postponed to open hours due at once, after the hours were changed; not those that
 * wait for another attempt. Emails that must still wait are postponed again. With `contactIds`, only theirs.
 */
export async function duePostponedEmails(
  tx: EntityManager,
  tenantId: string,
  contactIds?: readonly number[],
): Promise<void> {
  const theirs = contactIds ? sql`and contact_id = any(${[...contactIds]}::bigint[])` : sql``;
  await rows(
    tx,
    sql`
    update emails set next_attempt_at = now() where id in (
      select id from emails
      where tenant_id = ${tenantId} and lane = any(${[...EMAIL_LANES]}::text[]) and stage = 'open' and status = 'QUEUED'
        and next_attempt_at > now() and held_until = next_attempt_at ${theirs}
      order by id for update)`,
  );
}
