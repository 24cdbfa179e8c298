import { rows, sql, type EntityManager, type RawBuilder } from '../../../db/orm.ts';

/** The assignments of an update that suppresses QUEUED emails, whoever has leased them. */
export const suppressed = (reason: string): RawBuilder<unknown> =>
  sql`status = 'SUPPRESSED', reason = ${reason}, holder = null, lease_until = null, updated_at = now()`;

/** Suppresses all mail to a contact that is still QUEUED. */
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

/** Suppresses marketing mail to a contact that is still QUEUED. What another transaction has locked meets the gates at its start. */
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

/** A statement, or a part of one, that suppresses the QUEUED mail of executions: `source` has their ids as `id`. */
export const suppressEmailsOfExecutions = (
  tenantId: string,
  source: RawBuilder<unknown>,
  reason: string,
): RawBuilder<unknown> => sql`
  update emails m set ${suppressed(reason)} from ${source} s where m.tenant_id = ${tenantId} and m.execution_id = s.id and m.status = 'QUEUED'`;

/** An email campaign, of which nothing is to be sent any more. */
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
 * Suppresses up to `limit` QUEUED emails of a campaign that no other transaction has locked. Returns how many, and whether any
 * is still open: one on a connection ends by itself, or comes back QUEUED.
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

/** Suppresses the emails of a campaign that senders may lease: there are never more than a few seconds' worth of them. */
export async function suppressReadyOfCampaign(tx: EntityManager, campaign: EndedCampaign): Promise<void> {
  await rows(
    tx,
    sql`
    update emails set ${suppressed(reasonOf(campaign))}
    where tenant_id = ${campaign.tenantId}
      and id in (select id from emails where ${emailsOf(campaign)} and stage = 'open' and status = 'QUEUED' order by id for update)`,
  );
}
