import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import type { emailCampaignActivities } from '../activities/email-campaigns.ts';
import { pageOptions } from './options.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

/** The campaign was changed: check again. */
export const wakeEmailCampaign = defineSignal('wake');

// Progress is in the ledger and in the campaign's row, so failures are retried from there, without limit.
const { advanceCampaign } = proxyActivities<ReturnType<typeof emailCampaignActivities>>(pageOptions);

/** Runs one email campaign, from its schedule to its last email. */
export async function emailCampaign(input: WorkflowInputs['emailCampaign']): Promise<void> {
  let woken = false;
  setHandler(wakeEmailCampaign, () => {
    woken = true;
  });
  for (let summary = 'begins'; ;) {
    woken = false;
    const stand = await advanceCampaign.executeWithOptions({ ...pageOptions, summary }, [{ ...input, at: Date.now() }]);
    ({ summary } = stand);
    setCurrentDetails(`Email campaign ${input.campaignId}: ${summary}`);
    if (stand.over && !woken) return;
    if (stand.until === null) await condition(() => woken);
    else if (stand.until) await condition(() => woken, Math.max(1, Date.parse(stand.until) - Date.now()), { summary });
    if (workflowInfo().continueAsNewSuggested) await continueAsNew<typeof emailCampaign>(input);
  }
}
