import type { Deps } from '../runtime/deps.ts';
import { tenantEm } from '../db/orm.ts';
import { replayPage } from '../domain/webhooks/deliveries/replay.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

export function webhookActivities({ orm }: Pick<Deps, 'orm'>) {
  return {
    /** Sends the next page of a replay's deliveries again. Returns whether it was the last one. */
    replayWebhooks: async ({ tenantId, replayId }: WorkflowInputs['webhookReplay']): Promise<boolean> =>
      (await replayPage(tenantEm(orm, tenantId), replayId)).done,
  };
}
