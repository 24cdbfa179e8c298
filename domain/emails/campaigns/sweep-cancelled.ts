import type { EmailCampaign } from '../../../db/entities/email-campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';

const PAGE = 5_000;

/** A campaign of which nothing goes out any more. */
export type Cancelled = Pick<EmailCampaign, 'tenantId' | 'id' | 'status'>;

const emailsOf = ({ tenantId, id }: Cancelled) => sql`tenant_id = ${tenantId} and campaign_id = ${id} and lane = 'bulk'`;
const suppressed = ({ status }: Cancelled) => sql`status = 'SUPPRESSED', reason = ${`campaign_${status!.toLowerCase()}`}, holder = null, lease_until = null, updated_at = now()`;

/**
 * Suppresses emails of a campaign that was cancelled or has failed, those first that no sender has at this moment. Answers
 * how many are still open: one on a connection ends by itself, or comes back to be suppressed.
 */
export async function sweepCancelled(em: EntityManager, campaign: Cancelled): Promise<{ swept: number; open: boolean }> {
  return em.transactional(async (tx) => {
    const mine = emailsOf(campaign);
    const swept = await rows(tx, sql`
      update emails set ${suppressed(campaign)}
      where tenant_id = ${campaign.tenantId} and id in (select id from emails where ${mine} and status = 'QUEUED' order by id limit ${PAGE} for update skip locked)
      returning id`);
    const [open] = await rows(tx, sql`select 1 from emails where ${mine} and status in ('QUEUED', 'SENDING') limit 1`);
    return { swept: swept.length, open: open !== undefined };
  });
}

/**
 * Suppresses what senders may take of a campaign that is about to be deleted, for the gates can not tell any more that it was
 * cancelled; there are never more than a few seconds' worth of it. The rest is held, and left to `sweepCancelled`.
 */
export async function suppressReady(tx: EntityManager, campaign: Cancelled): Promise<void> {
  await rows(tx, sql`
    update emails set ${suppressed(campaign)}
    where tenant_id = ${campaign.tenantId}
      and id in (select id from emails where ${emailsOf(campaign)} and stage = 'open' and status = 'QUEUED' order by id for update)`);
}
