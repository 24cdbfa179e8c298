import { Campaign, CampaignExecution } from '../../../db/entities/campaigns.ts';
import { sql, type EntityManager } from '../../../db/orm.ts';
import { byName, byUpdatedAt, commonSort, listPage, type Present } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';

interface CampaignQuery extends ListQuery {
  status?: string;
  type?: string;
}

/** A page of the tenant's campaigns. Throws `validation_failed` for a wrong cursor. */
export const listCampaigns = <T>(
  em: EntityManager,
  query: CampaignQuery,
  present: Present<Campaign, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    Campaign,
    query,
    {
      from: sql`campaigns t`,
      sortable: { ...commonSort, name: byName, updatedAt: byUpdatedAt },
      where: [
        query.status !== undefined && sql`t.status = ${query.status}`,
        query.type !== undefined && sql`t.type = ${query.type}`,
      ],
    },
    present,
  );

interface ExecutionQuery extends ListQuery {
  status?: string;
  contactId?: number;
}

/** A page of a campaign's executions. Throws `validation_failed` for a wrong cursor. */
export const listExecutions = <T>(
  em: EntityManager,
  campaignId: number,
  query: ExecutionQuery,
  present: Present<CampaignExecution, T>,
): Promise<Page<T>> =>
  listPage(
    em,
    CampaignExecution,
    query,
    {
      from: sql`campaign_executions t`,
      sortable: { id: commonSort.id },
      where: [
        sql`t.campaign_id = ${campaignId}`,
        query.status !== undefined && sql`t.status = ${query.status}`,
        query.contactId !== undefined && sql`t.contact_id = ${query.contactId}`,
      ],
    },
    present,
  );
