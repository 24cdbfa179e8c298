import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';

/** The SET clause of an update that suppresses QUEUED emails, leased or not. */
export const suppressed = (reason: string): RawBuilder<unknown> =>
  sql`status = 'SUPPRESSED', reason = ${reason}, holder = null, lease_until = null, updated_at = now()`;

/** Suppresses a contact's QUEUED emails. */
export async function suppressEmailsTo(
  tx: EntityManager,
  tenantId: string,
  contactId: number,
  reason: string,
): Promise<void> {
  await rows(
    tx,
    sql`
    update emails set ${suppressed(reason)} where tenant_id = ${tenantId} and contact_id = ${contactId} and status = 'QUEUED'`,
  );
}

/** Suppresses a contact's QUEUED marketing emails. Skips locked ones: the gates stop those when they are started. */
export async function suppressMarketingTo(
  tx: EntityManager,
  tenantId: string,
  contactId: number,
  reason: string,
): Promise<void> {
  await rows(
    tx,
    sql`
    update emails set ${suppressed(reason)}
    where tenant_id = ${tenantId} and id in (
      select m.id from emails m join email_templates t on t.tenant_id = m.tenant_id and t.id = m.template_id
      where m.tenant_id = ${tenantId} and m.contact_id = ${contactId} and m.status = 'QUEUED' and t.category = 'marketing'
      for update of m skip locked)`,
  );
}

/** A statement (or part of one) that suppresses the QUEUED emails of executions: `source` has their ids as `id`. */
export const suppressEmailsOfExecutions = (
  tenantId: string,
  source: RawBuilder<unknown>,
  reason: string,
): RawBuilder<unknown> => sql`
  update emails m set ${suppressed(reason)} from ${source} s where m.tenant_id = ${tenantId} and m.execution_id = s.id and m.status = 'QUEUED'`;

/** An email campaign of which no more emails may be sent. */
export interface EndedCampaign {
  tenantId: string;
  id: number;
  /** CANCELLED or FAILED. */
  status?: string;
}

const reasonOf = ({ status }: EndedCampaign): string => `campaign_${status!.toLowerCase()}`;

const emailsOf = ({ tenantId, id }: EndedCampaign): RawBuilder<unknown> =>
  sql`tenant_id = ${tenantId} and campaign_id = ${id} and lane = 'bulk'`;

/**
 * Suppresses up to `limit` QUEUED emails of a campaign that are not locked. Returns how many, and whether any email is
 * still QUEUED or SENDING (one that is SENDING ends, or becomes QUEUED again).
 */
export async function suppressSomeOfCampaign(
  tx: EntityManager,
  campaign: EndedCampaign,
  limit: number,
): Promise<{ suppressed: number; open: boolean }> {
  const done = await rows(
    tx,
    sql`
    update emails set ${suppressed(reasonOf(campaign))}
    where tenant_id = ${campaign.tenantId} and id in (select id from emails where ${emailsOf(campaign)} and status = 'QUEUED' order by id limit ${limit} for update skip locked)
    returning id`,
  );
  const [open] = await rows(
    tx,
    sql`select 1 from emails where ${emailsOf(campaign)} and status in ('QUEUED', 'SENDING') limit 1`,
  );
  return { suppressed: done.length, open: open !== undefined };
}

/** Suppresses the emails of a campaign that senders may lease, which is never more than a few seconds' worth. */
export async function suppressReadyOfCampaign(tx: EntityManager, campaign: EndedCampaign): Promise<void> {
  await rows(
    tx,
    sql`
    update emails set ${suppressed(reasonOf(campaign))}
    where tenant_id = ${campaign.tenantId}
      and id in (
        select id from emails
        where ${emailsOf(campaign)} and status = 'QUEUED' and (stage = 'open' or stage = 'batch' and id in (
          select unnest(email_ids) from email_batches where tenant_id = ${campaign.tenantId} and campaign_id = ${campaign.id}))
        order by id for update)`,
  );
}
