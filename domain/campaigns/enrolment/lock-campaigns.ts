import { OPEN_STATUSES } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import { withNames } from '../../campaign-definitions/load-definition.ts';
import type { Names } from '../../campaign-definitions/names.ts';
import type { EnterableVersion } from './enter-contacts.ts';

export interface OpenCampaign extends EnterableVersion {
  tenantId: string;
  /** Triggers ignore events from before this time. */
  activatedAt: Date;
  /** DATE: the moments up to here are taken. */
  datedUntil: Date | null;
}

const asRows = (campaigns: readonly { tenantId: string; campaignId: number }[]): string =>
  JSON.stringify(campaigns.map(({ tenantId, campaignId }) => ({ tenant_id: tenantId, id: campaignId })));

/**
 * Locks the campaigns' rows, in id order, until the transaction `tx` ends, which serialises entries with a stop.
 * Returns the published versions of those that are ACTIVE or PAUSED. FOR NO KEY UPDATE, so that running steps are not
 * blocked.
 */
export async function lockCampaigns(
  tx: EntityManager,
  campaigns: readonly { tenantId: string; campaignId: number }[],
): Promise<OpenCampaign[]> {
  if (campaigns.length === 0) return [];
  const wanted = asRows(campaigns);
  await rows(
    tx,
    sql`
    select c.id from campaigns c
    join jsonb_to_recordset(${wanted}::jsonb) as r(tenant_id text, id bigint) on c.tenant_id = r.tenant_id and c.id = r.id
    order by c.tenant_id, c.id for no key update of c`,
  );
  // A second statement: its newer snapshot sees what was committed while the first one waited for locks.
  return readOpenCampaigns(tx, campaigns);
}

/** The published versions of those campaigns that are ACTIVE or PAUSED. */
export async function readOpenCampaigns(
  tx: EntityManager,
  campaigns: readonly { tenantId: string; campaignId: number }[],
): Promise<OpenCampaign[]> {
  const wanted = asRows(campaigns);
  const found = await rows<{
    tenant_id: string;
    id: number;
    name: string;
    version: number;
    definition: Definition;
    names: Names | null;
    activated_at: Date;
    dated_until: Date | null;
  }>(
    tx,
    sql`
    select c.tenant_id, c.id, c.name, v.version, v.definition, v.names, c.activated_at, c.dated_until
    from campaigns c
    join jsonb_to_recordset(${wanted}::jsonb) as r(tenant_id text, id bigint) on c.tenant_id = r.tenant_id and c.id = r.id
    join campaign_versions v on v.tenant_id = c.tenant_id and v.campaign_id = c.id and v.version = c.published_version
    where c.status = any(${OPEN_STATUSES}::text[])`,
  );
  return found.map((row) => ({
    tenantId: row.tenant_id,
    campaignId: row.id,
    name: row.name,
    version: row.version,
    definition: withNames(row.definition, row.names),
    activatedAt: row.activated_at,
    datedUntil: row.dated_until,
  }));
}
