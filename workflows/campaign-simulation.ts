import { proxyActivities } from '@temporalio/workflow';
import type { campaignSimulationActivities } from '../activities/campaign-simulations.ts';
import { longOptions } from './options.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

// It writes only its own row, so it is repeated from the start until it succeeds.
const { simulateCampaign } = proxyActivities<ReturnType<typeof campaignSimulationActivities>>(longOptions);

/** A simulation of a campaign for many contacts. */
export async function campaignSimulation(input: WorkflowInputs['campaignSimulation']): Promise<void> {
  await simulateCampaign(input);
}
