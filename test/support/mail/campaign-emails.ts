import { engineEm, rows, sql, type Orm } from '../../../db/orm.ts';
import { insertCampaignEmails, releaseEmailBatches } from '../../../domain/emails/ledger/email-batches.ts';

/**
 * Inserts emails to new contacts (`<name>-1@example.org` and so on) of a new email campaign that is SENDING, without its
 * workflow, and releases the first ones.
 */
export async function insertMailing(
  orm: Orm,
  of: { name: string; templateId: number; count: number; released?: number; tenantId?: string },
): Promise<{ campaignId: number; ids: number[]; contactIds: number[] }> {
  const { name, templateId, count, released = count, tenantId = 'default' } = of;
  return engineEm(orm).transactional(async (tx) => {
    const [campaign] = await rows<{ id: number }>(
      tx,
      sql`insert into email_campaigns (tenant_id, name, status) values (${tenantId}, ${name}, 'SENDING') returning id`,
    );
    const campaignId = campaign!.id;
    await rows(
      tx,
      sql`
      insert into contacts (tenant_id, first_name, last_name, email, email_key)
      select ${tenantId}, 'Ada', n::text, m, m from generate_series(1, ${count}::int) n, concat(${name}::text, '-', n, '@example.org') m order by n`,
    );
    await rows(
      tx,
      insertCampaignEmails(sql`(
        select tenant_id, 'mailing/' || ${campaignId}::bigint || '/' || id as send_key, ${templateId}::bigint as template_id, id as contact_id,
          ${campaignId}::bigint as campaign_id, null as variant, null::timestamptz as due_at, null as reason
        from contacts where tenant_id = ${tenantId} and email like ${`${name}-%`})`),
    );
    const unreleased = { tenantId, campaignId, after: 0, onlyVariants: false, now: new Date() };
    await releaseEmailBatches(tx, unreleased, null, released);
    const emails = await rows<{ id: number; contact_id: number }>(
      tx,
      sql`select id, contact_id from emails where campaign_id = ${campaignId} order by id`,
    );
    return { campaignId, ids: emails.map(({ id }) => id), contactIds: emails.map((row) => row.contact_id) };
  });
}
