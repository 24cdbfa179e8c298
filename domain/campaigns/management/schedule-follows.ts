import type { Campaign } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendWorkflow } from '../../../events/outbox.ts';
import { SCHEDULED_TRIGGERS } from '../../campaign-definitions/trigger-schedule.ts';

/**
 * Starts the workflow that makes the campaign's Temporal Schedule agree with it, if the published version or the one
 * before has a trigger that needs a schedule. Call it at the end of every transaction that publishes, stops or deletes
 * a campaign.
 */
export async function scheduleFollows(
  tx: EntityManager,
  { tenantId, id: campaignId, publishedVersion }: Campaign,
): Promise<void> {
  if (publishedVersion === null || publishedVersion === undefined) return;
  const found = await rows(
    tx,
    sql`
    select 1 from campaign_versions
    where tenant_id = ${tenantId} and campaign_id = ${campaignId} and version >= ${publishedVersion - 1}
      and definition -> 'trigger' ->> 'type' = any(${SCHEDULED_TRIGGERS}::text[]) limit 1`,
  );
  if (found.length > 0) await appendWorkflow(tx, 'campaignSchedule', { tenantId, campaignId });
}
