import { continueAsNew, proxyActivities, sleep, workflowInfo } from '@temporalio/workflow';
import type { CampaignActivities } from '../activities/campaigns.ts';
import { pageOptions } from './options.ts';
import type { EnrolmentInput } from './registry.ts';

const { enrolPage } = proxyActivities<CampaignActivities>(pageOptions);

/** Enters an audience into a campaign, page by page in the order of contact ids. */
export async function campaignEnrolment({ tenantId, enrolmentId, after = 0 }: EnrolmentInput): Promise<void> {
  let cursor = after;
  for (;;) {
    const summary = cursor === 0 ? 'first contacts' : `contacts after ${cursor}`;
    const page = await enrolPage.executeWithOptions({ ...pageOptions, summary }, [
      { tenantId, enrolmentId, after: cursor },
    ]);
    if (page.done) return;
    if (page.building) await sleep('2 seconds', { summary: 'the segment is being built' });
    ({ cursor } = page);
    if (workflowInfo().continueAsNewSuggested)
      await continueAsNew<typeof campaignEnrolment>({ tenantId, enrolmentId, after: cursor });
  }
}
