import { Email } from '../../../db/entities/emails.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

interface EmailQuery extends ListQuery {
  contactId?: number;
  campaignId?: number;
  status?: string;
  externalId?: string;
}

/** A page of the tenant's emails. Throws `validation_failed` for a wrong cursor. */
export const listEmails = <T>(em: EntityManager, query: EmailQuery, present: Present<Email, T>): Promise<Page<T>> =>
  listPage(
    em,
    Email,
    query,
    {
      from: sql`emails t`,
      sortable: commonSort,
      where: [
        query.contactId !== undefined && sql`t.contact_id = ${query.contactId}`,
        query.campaignId !== undefined && sql`t.campaign_id = ${query.campaignId}`,
        query.status !== undefined && sql`t.status = ${query.status}`,
        // The send key of another program's request contains its externalId, and is indexed.
        query.externalId !== undefined && sql`t.send_key = ${`external:${query.externalId}`}`,
      ],
    },
    present,
  );
