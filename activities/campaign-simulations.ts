import { tenantEm } from '../db/orm.ts';
import { runSimulation } from '../domain/campaigns/simulation/run-simulation.ts';
import type { Deps } from '../runtime/deps.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';
import { tell } from './heartbeat.ts';

export function campaignSimulationActivities(deps: Deps) {
  return {
    /** Runs a simulation from the start. */
    async simulateCampaign(input: WorkflowInputs['campaignSimulation']): Promise<void> {
      await runSimulation(tenantEm(deps.orm, input.tenantId), input, deps.env.MAIL_FROM, () => tell());
    },
  };
}
