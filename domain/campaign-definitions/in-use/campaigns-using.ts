import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { referencedIds, type ReferencedIds } from '../validation/references.ts';

/**
 * The ACTIVE and PAUSED campaigns that refer to a resource in their published version, or in another version that has
 * running executions, or to which executions are being moved.
 */
export async function campaignsUsing(
  tx: EntityManager,
  tenantId: string,
  names: (ids: ReferencedIds, definition: unknown) => boolean,
): Promise<{ kind: 'campaign'; id: number; name: string }[]> {
  const found = await rows<{ id: number; name: string; definition: { trigger?: unknown; steps?: unknown } }>(
    tx,
    sql`
    select c.id, c.name, v.definition from campaigns c
    join campaign_versions v on v.tenant_id = c.tenant_id and v.campaign_id = c.id
    where c.tenant_id = ${tenantId} and c.status in ('ACTIVE', 'PAUSED') and (v.version = c.published_version or exists (
      select 1 from campaign_executions e
      where e.tenant_id = c.tenant_id and e.campaign_id = c.id and e.status = 'RUNNING' and e.campaign_version = v.version) or exists (
      select 1 from campaign_migrations m
      where m.tenant_id = c.tenant_id and m.campaign_id = c.id and m.status = 'RUNNING' and m.to_version = v.version))
    order by c.id`,
  );
  const using = found.filter(({ definition }) => names(referencedIds(definition), definition));
  return [...new Map(using.map(({ id, name }) => [id, { kind: 'campaign' as const, id, name }])).values()];
}
