import { continueAsNew, patched, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { CampaignActivities } from '../activities/campaigns.ts';
import { pageOptions } from './options.ts';
import type { EnrolmentInput } from '../registry/workflows.ts';

const { enrolPage, enrolPages } = proxyActivities<CampaignActivities>(pageOptions);

/**
 * Enters an audience into a campaign in the order of contact ids. One activity enters many pages, so that the history
 * stays short; workflows of earlier releases go on with one activity for each page.
 */
export async function campaignEnrolment(input: EnrolmentInput): Promise<void> {
  const { tenantId, enrolmentId, after = 0 } = input;
  const enrol = patched('many-pages') ? enrolPages : enrolPage;
  let cursor = after;
  for (;;) {
    const summary = cursor === 0 ? 'first contacts' : `contacts after ${cursor}`;
    const page = await enrol.executeWithOptions({ ...pageOptions, summary }, [
      { tenantId, enrolmentId, after: cursor },
    ]);
    if (page.done) return;
    if (page.building) await sleep('2 seconds', { summary: 'the segment is being built' });
    ({ cursor } = page);
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof campaignEnrolment>({ ...input, after: cursor });
  }
}
