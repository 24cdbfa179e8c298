import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { notFound } from '../../../lib/checks/errors.ts';
import { commonSort, listPage } from '../../common/list-page.ts';
import type { ListQuery, Page } from '../../common/paging.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';

/** A published definition of a campaign, and how many executions run it now. */
export interface PublishedVersion {
  campaignId: number;
  version: number;
  definition: Definition;
  publishedAt: Date;
  running: number;
}

async function readVersions(
  tx: EntityManager,
  campaignId: number,
  versions: readonly number[],
): Promise<PublishedVersion[]> {
  return rows<PublishedVersion>(
    tx,
    sql`
    select v.campaign_id as "campaignId", v.version, v.definition, v.published_at as "publishedAt", (
      select count(*)::int from campaign_executions e
      where e.tenant_id = v.tenant_id and e.campaign_id = v.campaign_id and e.campaign_version = v.version and e.status = 'RUNNING') as running
    from campaign_versions v where v.campaign_id = ${campaignId} and v.version = any(${[...versions]}::bigint[])`,
  );
}

/** A page of a campaign's published versions. Throws `validation_failed` for a wrong cursor. */
export const listVersions = <T>(
  em: EntityManager,
  campaignId: number,
  query: ListQuery,
  present: (found: PublishedVersion) => T,
): Promise<Page<T>> =>
  listPage(
    em,
    {
      read: async (tx, ids) =>
        (await readVersions(tx, campaignId, ids)).map((found) => ({ ...found, id: found.version })),
    },
    query,
    {
      from: sql`(select version::bigint as id, campaign_id from campaign_versions) t`,
      sortable: { id: commonSort.id, version: commonSort.id },
      where: [sql`t.campaign_id = ${campaignId}`],
    },
    (found) => found.map(present),
  );

/** One published version. Throws 404. */
export async function readVersion(em: EntityManager, campaignId: number, version: number): Promise<PublishedVersion> {
  const [found] = await em.transactional((tx) => readVersions(tx, campaignId, [version]));
  if (!found) throw notFound('version', version);
  return found;
}
