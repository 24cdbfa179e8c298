import { OPEN_STATUSES } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Definition } from '../../campaign-definitions/definition.ts';
import { firingTimes, type FiringTimes } from '../../campaign-definitions/trigger-schedule.ts';

/** A firing that is later than this, after an outage, enters no one. */
export const CATCH_UP_MS = 3_600_000;

/** The Temporal Schedule that a campaign should have. */
export interface WantedSchedule extends FiringTimes {
  campaignName: string;
  campaignVersion: number;
  /** Firings since the activation are made up for when the schedule is created; null if they need not be. */
  activatedAt: Date | null;
}

/** The Temporal Schedule that a campaign should have now; null if none. */
export async function wantedSchedule(
  em: EntityManager,
  { tenantId, campaignId }: { tenantId: string; campaignId: number },
): Promise<WantedSchedule | null> {
  const [campaign] = await em.transactional((tx) =>
    rows<{ name: string; version: number; activated_at: Date; definition: Definition }>(
      tx,
      sql`
      select c.name, v.version, c.activated_at, v.definition from campaigns c
      join campaign_versions v on v.tenant_id = c.tenant_id and v.campaign_id = c.id and v.version = c.published_version
      where c.tenant_id = ${tenantId} and c.id = ${campaignId} and c.status = any(${OPEN_STATUSES}::text[])`,
    ),
  );
  const times = campaign && firingTimes(campaign.definition.trigger);
  if (!times) return null;
  const { name: campaignName, version: campaignVersion, definition, activated_at } = campaign;
  // A DATE trigger takes all moments since the last time, so it misses none.
  const activatedAt = definition.trigger.type === 'SCHEDULE' ? activated_at : null;
  return { ...times, campaignName, campaignVersion, activatedAt };
}
