import type { Deps } from '../runtime/deps.ts';
import { campaignActivities } from './campaigns.ts';
import { campaignMigrationActivities } from './campaign-migration.ts';
import { contactImportActivities } from './contact-import.ts';
import { emailCampaignActivities } from './email-campaigns.ts';
import { erasureActivities } from './erasure.ts';
import { campaignSimulationActivities } from './campaign-simulations.ts';
import { scoringActivities } from './scoring.ts';
import { reportActivities } from './reports.ts';
import { segmentActivities } from './segments.ts';
import { thresholdActivities } from './thresholds.ts';
import { webhookActivities } from './webhooks.ts';

/** All activities. The Temporal UI shows their names. */
export function createActivities(deps: Deps) {
  return {
    ...campaignActivities(deps),
    ...campaignMigrationActivities(deps),
    ...campaignSimulationActivities(deps),
    ...contactImportActivities(deps),
    ...emailCampaignActivities(deps),
    ...erasureActivities(deps),
    ...scoringActivities(deps),
    ...reportActivities(deps),
    ...segmentActivities(deps),
    ...thresholdActivities(deps),
    ...webhookActivities(deps),
  };
}
