import {
  defineSignal,
  executeChild,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import type { CampaignActivities } from '../activities/campaigns.ts';
import { campaignEnrolment } from './campaign-enrolment.ts';
import { retryForeverOptions } from './options.ts';
import { workflowId, type EnrolmentInput, type WorkflowInputs } from './registry.ts';
import { shownOf } from './search-attributes.ts';

const { keepSchedule, openOccurrence } = proxyActivities<CampaignActivities>(retryForeverOptions);

/** The campaign was changed: check its schedule again. */
export const wakeCampaignSchedule = defineSignal('wake');

/** Makes the Temporal Schedule of a campaign agree with the campaign, as often as the campaign has changed. */
export async function campaignSchedule(input: WorkflowInputs['campaignSchedule']): Promise<void> {
  let woken = false;
  setHandler(wakeCampaignSchedule, () => {
    woken = true;
  });
  do {
    woken = false;
    setCurrentDetails(await keepSchedule(input));
  } while (woken);
}

/** The length of the nominal time that Temporal appends to the id of a scheduled workflow: 2027-03-28T09:00:00Z. */
const NOMINAL_TIME = 20;

/** One firing of a campaign's schedule: enters the contacts that are due, by one enrolment. */
export async function campaignOccurrence({
  tenantId,
  campaignId,
}: WorkflowInputs['campaignOccurrence']): Promise<void> {
  const scheduledAt = workflowInfo().workflowId.slice(-NOMINAL_TIME);
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
