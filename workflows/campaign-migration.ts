import { continueAsNew, proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { campaignMigrationActivities } from '../activities/campaign-migration.ts';
import { pageOptions } from './options.ts';
import type { MigrationJob } from '../registry/workflows.ts';

const { migratePage } = proxyActivities<ReturnType<typeof campaignMigrationActivities>>(pageOptions);

/** Moves the executions of one version of a campaign to another, page by page in the order of their ids. */
export async function campaignMigration(job: MigrationJob): Promise<void> {
  const { tenantId, migrationId, after = 0 } = job;
  let cursor = after;
  for (;;) {
    const summary = cursor === 0 ? 'first executions' : `executions after ${cursor}`;
    const page = await migratePage.executeWithOptions({ ...pageOptions, summary }, [
      { tenantId, migrationId, after: cursor, at: Date.now() },
    ]);
    if (page.done) return;
    ({ cursor } = page);
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof campaignMigration>({ ...job, after: cursor });
  }
}
