import { executeChild, proxyActivities, setCurrentDetails } from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { CampaignActivities } from '../activities/campaigns.ts';
import { campaignEnrolment } from './campaign-enrolment.ts';
import { followChanges } from './follow-changes.ts';
import { nominalTime } from './nominal-time.ts';
import { retryForeverOptions } from './options.ts';
import { workflowId, type EnrolmentInput, type WorkflowInputs } from '../registry/workflows.ts';
import { shownOf } from '../registry/search-attributes.ts';

const { keepSchedule, openOccurrence } = proxyActivities<CampaignActivities>(retryForeverOptions);

/** Makes the Temporal Schedule of a campaign agree with the campaign, as often as the campaign has changed. */
export const campaignSchedule = (input: WorkflowInputs['campaignSchedule']): Promise<void> =>
  followChanges(() => keepSchedule(input));

/** One firing of a campaign's schedule: enters the contacts that are due, by one enrolment. */
export async function campaignOccurrence({
  tenantId,
  campaignId,
}: WorkflowInputs['campaignOccurrence']): Promise<void> {
  const scheduledAt = nominalTime();
  const opened = await openOccurrence({ tenantId, campaignId, scheduledAt, at: Date.now() });
  if ('skipped' in opened) setCurrentDetails(`Enters no one: ${opened.skipped}`);
  else await enrol(opened.enrolment);
}

/** Runs an enrolment to its end, so that the schedule knows how long a firing takes. */
async function enrol(input: EnrolmentInput): Promise<void> {
  try {
    await executeChild(campaignEnrolment, {
      workflowId: workflowId('campaignEnrolment', input),
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      args: [input],
      ...shownOf('campaignEnrolment', input),
    });
  } catch (error) {
    // The occurrence was started again.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
