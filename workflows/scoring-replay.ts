import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { scoringActivities } from '../activities/scoring.ts';
import { pageOptions } from './options.ts';
import type { ReplayJob } from '../registry/workflows.ts';

const { replayPage } = proxyActivities<ReturnType<typeof scoringActivities>>(pageOptions);

/** Replays a scoring rule over earlier events, page by page in the order of the contacts' or companies' ids. */
export async function scoringReplay(job: ReplayJob): Promise<void> {
  const { tenantId, replayId, after = 0 } = job;
  let cursor = after;
  for (;;) {
    const summary = cursor === 0 ? 'first page' : `after ${cursor}`;
    const page = await replayPage.executeWithOptions({ ...pageOptions, summary }, [
      { tenantId, replayId, after: cursor },
    ]);
    if (page.done) return;
    ({ cursor } = page);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof scoringReplay>({ ...job, after: cursor });
  }
}
