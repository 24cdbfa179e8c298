import {
  ActivityFailure,
  allHandlersFinished,
  ApplicationFailure,
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setCurrentDetails,
  setHandler,
  TimeoutFailure,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { CampaignActivities } from '../activities/campaigns.ts';
import type { Ahead, ExecutionStart, StepAnswer } from '../domain/campaigns/execution/execution.ts';
import { escapeMarkdown } from '../registry/markdown.ts';
import { pointInTime, stepSummary } from './step-texts.ts';
import { callOptions, localStepOptions, retryForeverOptions } from './options.ts';
import { searchAttributes } from '../registry/search-attributes.ts';

/** What the execution waits for may have happened: check again. */
export const wake = defineSignal('wake');

const asLocalActivity = proxyLocalActivities<CampaignActivities>(localStepOptions);
const asActivity = proxyActivities<CampaignActivities>(retryForeverOptions);

/**
 * The journey of one contact through one campaign. It only runs the current step and waits as long as the step's
 * answer says; the meaning of steps is in domain/campaigns.
 */
export async function campaignExecution(start: ExecutionStart): Promise<void> {
  const { tenantId, executionId, runSeq } = start;
  let { ahead } = start;
  const { rests } = start.ahead;
  let shown = (rests ?? start.ahead).stepId;
  let version = start.campaignVersion;
  let woken = false;
  setHandler(wake, () => {
    woken = true;
  });

  const show = (step: { stepId: string; type: string }, details: string): void => {
    setCurrentDetails(details);
    if (step.stepId === shown) return;
    shown = step.stepId;
    upsertSearchAttributes([
      { key: searchAttributes.stepId, value: step.stepId },
      { key: searchAttributes.stepType, value: step.type },
    ]);
  };

  // The execution may have been moved to another version.
  const showVersion = ({ campaignVersion = version }: Ahead): void => {
    if (campaignVersion === version) return;
    version = campaignVersion;
    upsertSearchAttributes([{ key: searchAttributes.campaignVersion, value: version }]);
  };

  const runStep = async ({ seq, runs }: Ahead): Promise<StepAnswer> => {
    const request = () => ({ tenantId, executionId, runSeq, seq, at: Date.now() });
    const summary = stepSummary(runs);
    // Its call may take seconds, and is repeated for long: never in a workflow task.
    if (runs.type === 'WEBHOOK') {
      show(runs, `**${runs.stepId}**: ${escapeMarkdown(runs.summary)} (tried again until it is answered)`);
      return asActivity.WEBHOOK.executeWithOptions({ ...callOptions, summary }, [request()]);
    }
    try {
      return await asLocalActivity[runs.type].executeWithOptions({ ...localStepOptions, summary }, [request()]);
    } catch (error) {
      if (isFinal(error)) throw error;
      show(runs, `**${runs.stepId}**: ${escapeMarkdown(runs.summary)} (tried again until it succeeds)`);
      return await asActivity[runs.type].executeWithOptions({ ...retryForeverOptions, summary }, [request()]);
    }
  };

  for (;;) {
    const { waitUntil, summary } = ahead;
    if (waitUntil !== undefined) {
      show(ahead, `**${ahead.stepId}**: ${escapeMarkdown(summary)}, until ${pointInTime(waitUntil)}`);
      const shownAs = { summary: stepSummary(ahead) };
      await condition(() => woken, Math.max(1, Date.parse(waitUntil) - Date.now()), shownAs);
    }
    woken = false;
    const answer = await runStep(ahead);
    if ('end' in answer) break;
    if ('ahead' in answer) {
      ahead = answer.ahead;
      showVersion(ahead);
    } else {
      show(ahead.runs, `**${ahead.runs.stepId}**: the campaign is paused`);
      await condition(() => woken);
    }
    if (workflowInfo().continueAsNewSuggested) {
      // The next run assumes that this step is shown already.
      show(ahead, `**${ahead.stepId}**: ${escapeMarkdown(ahead.summary)}`);
      await condition(allHandlersFinished);
      // Woken meanwhile: the next run must look at once instead of waiting.
      const { waitUntil: _isOver, ...atOnce } = ahead;
      const next = { ...start, campaignVersion: version, ahead: woken ? atOnce : ahead };
      await continueAsNew<typeof campaignExecution>(next);
    }
  }
  // The search attributes stay at the step where it last waited, which saves an event. Executions that were started
  // without `rests`, by earlier releases, have written them here: their histories must replay.
  if (rests) setCurrentDetails(`**${ahead.runs.stepId}**: the last step`);
  else show(ahead.runs, `**${ahead.runs.stepId}**: the last step`);
  await condition(allHandlersFinished);
}

/** Whether a retry cannot help: the step says so, the workflow is cancelled, or it is a bug in this code. */
function isFinal(error: unknown): boolean {
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (cause instanceof ApplicationFailure) return cause.nonRetryable === true;
  return !(cause instanceof TimeoutFailure);
}
