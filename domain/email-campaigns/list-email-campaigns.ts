import { Contact } from '../../db/entities/contacts.ts';
import { EmailCampaign } from '../../db/entities/email-campaigns.ts';
import { Email } from '../../db/entities/emails.ts';
import { sql, type EntityManager } from '../../db/orm.ts';
import { byName, byUpdatedAt, commonSort, listPage, type Present } from '../common/list-page.ts';
import type { ListQuery, Page } from '../common/paging.ts';

interface EmailCampaignQuery extends ListQuery {
  status?: string;
}

/** A page of the tenant's email campaigns. Throws `validation_failed` for a wrong cursor. */
export const listEmailCampaigns = <T>(
  em: EntityManager,
  query: EmailCampaignQuery,
  present: Present<EmailCampaign, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    EmailCampaign,
    query,
    {
      from: sql`email_campaigns t`,
      where: [query.status !== undefined && sql`t.status = ${query.status}`],
      sortable: { ...commonSort, name: byName, updatedAt: byUpdatedAt },
    },
    present,
  );

interface RecipientQuery extends ListQuery {
  status?: string;
  contactId?: number;
  variant?: string;
}

/** A page of the emails of an email campaign. Throws `validation_failed` for a wrong cursor. */
export const listRecipients = <T>(
  em: EntityManager,
  campaignId: number,
  query: RecipientQuery,
  present: Present<Email, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    Email,
    query,
    {
      from: sql`emails t`,
      sortable: { id: commonSort.id },
      where: [
        sql`t.campaign_id = ${campaignId} and t.lane = 'bulk'`,
        query.status !== undefined && sql`t.status = ${query.status}`,
        query.contactId !== undefined && sql`t.contact_id = ${query.contactId}`,
        query.variant !== undefined && sql`t.variant = ${query.variant}`,
      ],
    },
    present,
  );

/** The present addresses of the contacts of those emails that have none of their own yet, by contact id. */
export async function addressesNow(em: EntityManager, emails: readonly Email[]): Promise<Map<number, string>> {
  const ids = emails.flatMap(({ toAddress, contactId }) => (toAddress == null && contactId != null ? [contactId] : []));
  const contacts = await em.find(Contact, { id: { $in: ids } }, { fields: ['id', 'email'] });
  return new Map(contacts.map(({ id, email }) => [id, email]));
}
