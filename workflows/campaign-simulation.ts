import { proxyActivities } from '@temporalio/workflow';
import type { campaignSimulationActivities } from '../activities/campaign-simulations.ts';
import type { WorkflowInputs } from './registry.ts';

// It writes only its own row, so it is repeated from the start until it succeeds.
const { simulateCampaign } = proxyActivities<ReturnType<typeof campaignSimulationActivities>>({
  startToCloseTimeout: '6 hours',
  heartbeatTimeout: '2 minutes',
  retry: { initialInterval: '1 second', maximumInterval: '1 minute' },
});

/** A simulation of a campaign for many contacts. */
export async function campaignSimulation(input: WorkflowInputs['campaignSimulation']): Promise<void> {
  await simulateCampaign(input);
}
