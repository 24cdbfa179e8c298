import { OPEN_STATUSES } from '../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../db/orm.ts';
import { SCHEDULED_TRIGGERS } from '../campaign-definitions/trigger-schedule.ts';

/** A row that has a Temporal Schedule. */
export interface ScheduledRow {
  tenantId: string;
  id: number;
  /** It has not changed for a while: its schedule had time to follow. */
  isSettled: boolean;
}

interface Page {
  after: number;
  before: Date;
  limit: number;
}

/** The next campaigns with a trigger that fires by a schedule, of all tenants, in the order of their ids. */
export const nextScheduledCampaigns = (em: EntityManager, { after, before, limit }: Page): Promise<ScheduledRow[]> =>
  em.transactional((tx) =>
    rows(
      tx,
      sql`
      select c.tenant_id as "tenantId", c.id, c.updated_at < ${before}::timestamptz as "isSettled" from campaigns c
      join campaign_versions v on v.tenant_id = c.tenant_id and v.campaign_id = c.id and v.version = c.published_version
      where c.id > ${after} and c.status = any(${OPEN_STATUSES}::text[])
        and v.definition -> 'trigger' ->> 'type' = any(${SCHEDULED_TRIGGERS}::text[])
      order by c.id limit ${limit}`,
    ),
  );

/** The next reports with a schedule, of all tenants, in the order of their ids. */
export const nextScheduledReports = (em: EntityManager, { after, before, limit }: Page): Promise<ScheduledRow[]> =>
  em.transactional((tx) =>
    rows(
      tx,
      sql`
      select tenant_id as "tenantId", id, updated_at < ${before}::timestamptz as "isSettled" from analytics_reports
      where id > ${after} and schedule is not null order by id limit ${limit}`,
    ),
  );
