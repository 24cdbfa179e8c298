import { proxyActivities } from '@temporalio/workflow';
import type { CampaignActivities, FlaggedPage } from '../activities/campaigns.ts';
import { pageOptions } from './options.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

const { closeStopped, wakeParked } = proxyActivities<CampaignActivities>(pageOptions);

async function eachPage(
  tenantId: string,
  campaignId: number,
  run: (page: FlaggedPage) => Promise<number | null>,
): Promise<void> {
  let after: number | null = 0;
  while (after !== null) after = await run({ tenantId, campaignId, after });
}

/** Closes the workflows of stopped executions of these campaigns. */
export async function campaignStop({ tenantId, campaignIds }: WorkflowInputs['campaignStop']): Promise<void> {
  for (const campaignId of campaignIds) await eachPage(tenantId, campaignId, closeStopped);
}

/** Wakes the workflows of executions that reached a step while their campaign was paused. */
export async function campaignResume({ tenantId, campaignId }: WorkflowInputs['campaignResume']): Promise<void> {
  await eachPage(tenantId, campaignId, wakeParked);
}
