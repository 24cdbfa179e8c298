import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { webhookActivities } from '../activities/webhooks.ts';
import { pageOptions } from './options.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

const { replayWebhooks } = proxyActivities<ReturnType<typeof webhookActivities>>(pageOptions);

/** Sends deliveries of a webhook again, page by page. How far it is stands in the database. */
export async function webhookReplay(job: WorkflowInputs['webhookReplay']): Promise<void> {
  for (let isDone = false; !isDone;) {
    isDone = await replayWebhooks(job);
    if (!isDone && workflowInfo().continueAsNewSuggested) await continueAsNew<typeof webhookReplay>(job);
  }
}
