import { activityInfo, ApplicationFailure, Context } from '@temporalio/activity';
import type { Deps } from '../runtime/deps.ts';
import { tenantEm } from '../db/orm.ts';
import { enrolPage, type EnrolledPage, type PageRequest } from '../domain/campaigns/enrolment/enrol-page.ts';
import {
  openOccurrence,
  type Occurrence,
  type OpenedOccurrence,
} from '../domain/campaigns/enrolment/open-occurrence.ts';
import type { StepAnswer, StepRequest } from '../domain/campaigns/execution/execution.ts';
import { definitionCache } from '../domain/campaign-definitions/load-definition.ts';
import { flaggedExecutions, clearSweepFlag } from '../domain/campaigns/execution/flagged-executions.ts';
import { runStep } from '../domain/campaigns/execution/run-step.ts';
import { STEP_TYPES, type StepType } from '../domain/campaign-definitions/step-kinds.ts';
import { setContactFields } from '../domain/contacts/people/save-contact-fields.ts';
import { addPoints } from '../domain/scoring/scores/score-events.ts';
import { AppError } from '../lib/checks/errors.ts';
import { callWebhook } from './call-webhook.ts';
import { eachBounded } from './each-bounded.ts';
import { tell } from './heartbeat.ts';
import { keepSchedule } from './keep-schedule.ts';
import { sliceOf } from './slice.ts';
import { closeWorkflow, startExecutions, wakeWorkflow } from './start-executions.ts';
import type { WorkflowInputs } from '../registry/workflows.ts';

const AT_ONCE = 50;

/** The commands of other areas that steps run. */
export const stepCommandsOf = ({ MAIL_FROM: mailFrom }: Pick<Deps['env'], 'MAIL_FROM'>) => ({
  setContactFields,
  addPoints,
  mailFrom,
});

export interface FlaggedPage {
  tenantId: string;
  campaignId: number;
  /** The last execution id of the previous page. */
  after: number;
}

/** How far an enrolment is. */
type Enrolled = Omit<EnrolledPage, 'starts'>;

/**
 * The activities of campaign workflows. A step is registered under its step type, so that the Temporal UI shows the
 * types.
 */
export function campaignActivities(deps: Deps, sliceMs?: number) {
  const load = definitionCache();
  const tools = { load, commands: stepCommandsOf(deps.env) };

  const step = async (request: StepRequest): Promise<StepAnswer> => {
    const em = tenantEm(deps.orm, request.tenantId);
    const { workflowExecution, attempt, scheduledTimestampMs, currentAttemptScheduledTimestampMs } = activityInfo();
    const { runId } = workflowExecution!;
    try {
      const outcome = await runStep(em, tools, request, { runId });
      if (!('call' in outcome)) return outcome;
      const elapsedMs = currentAttemptScheduledTimestampMs - scheduledTimestampMs;
      const answer = await callWebhook(deps, outcome.call, { attempt, elapsedMs });
      const failure = !answer.ok && outcome.call.onError === 'fail' ? answer.brief : undefined;
      // With an answer, it makes no other call.
      const recorded = (await runStep(em, tools, request, { runId, answer, failure })) as StepAnswer;
      // Unless it ended, the execution was moved or paused meanwhile, and goes on from there.
      if (failure !== undefined && 'end' in recorded) throw ApplicationFailure.nonRetryable(failure, 'webhook_failed');
      return recorded;
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error;
      // Does not repeat the step: ends the execution as FAILED at it, unless it was moved or paused meanwhile.
      const recorded = await runStep(em, tools, request, { runId, failure: error.message });
      if (!('end' in recorded) && !('call' in recorded)) return recorded;
      throw ApplicationFailure.nonRetryable(error.message, error.code);
    }
  };
  const timed =
    (type: StepType) =>
    async (request: StepRequest): Promise<StepAnswer> => {
      const end = deps.metrics.stepDuration.startTimer({ type });
      return step(request).finally(end);
    };
  const steps = Object.fromEntries(STEP_TYPES.map((type) => [type, timed(type)])) as Record<StepType, typeof step>;

  /** Enters one page of contacts and starts their workflows; tells the last contact of the page before it. */
  const enterPage = async (request: PageRequest): Promise<Enrolled> => {
    const { starts, ...page } = await enrolPage(tenantEm(deps.orm, request.tenantId), load, request);
    let count = 0;
    await startExecutions(deps, starts, {
      onStarted: () => tell({ cursor: request.after, started: (count += 1) }),
    });
    return page;
  };

  return {
    ...steps,

    /** Enters one page. Only for workflows that were started by earlier releases. */
    enrolPage: enterPage,

    /**
     * Enters pages until the audience is through, its segment has to be built first, or its slice is over.
     * Continues where a killed attempt was; pages that it has committed are only started again.
     */
    enrolPages: async (request: PageRequest): Promise<Enrolled> => {
      const { info } = Context.current();
      const isOver = sliceOf(sliceMs);
      let after = Math.max(request.after, (info.heartbeatDetails as { cursor: number } | undefined)?.cursor ?? 0);
      for (;;) {
        const page = await enterPage({ ...request, after });
        if (page.done || page.building || isOver()) return page;
        after = page.cursor;
        tell({ cursor: after, started: 0 });
      }
    },

    /** Makes the enrolment of one firing of a campaign's schedule. */
    openOccurrence: (occurrence: Occurrence): Promise<OpenedOccurrence> =>
      openOccurrence(tenantEm(deps.orm, occurrence.tenantId), occurrence),

    /** Makes the Temporal Schedule of a campaign what it should be, and says what that is. */
    keepSchedule: async (input: WorkflowInputs['campaignSchedule']): Promise<string> =>
      (await keepSchedule(deps, input)).description,

    /**
     * Closes the workflows of one page of stopped executions. Returns the last execution id, null if the page was
     * empty.
     */
    closeStopped: async ({ tenantId, campaignId, after }: FlaggedPage): Promise<number | null> => {
      const em = tenantEm(deps.orm, tenantId);
      const page = await flaggedExecutions(em, tenantId, campaignId, 'sweep', after);
      await eachBounded(page, AT_ONCE, async ({ id, workflowId, reason }) => {
        await closeWorkflow(deps, workflowId, reason ?? 'stopped');
        tell(id);
      });
      await clearSweepFlag(
        em,
        tenantId,
        page.map(({ id }) => id),
      );
      return page.at(-1)?.id ?? null;
    },

    /**
     * Wakes the workflows of one page of parked executions. Returns the last execution id, null if the page was empty.
     */
    wakeParked: async ({ tenantId, campaignId, after }: FlaggedPage): Promise<number | null> => {
      const page = await flaggedExecutions(tenantEm(deps.orm, tenantId), tenantId, campaignId, 'parked', after);
      await eachBounded(page, AT_ONCE, async ({ id, workflowId }) => {
        await wakeWorkflow(deps, workflowId);
        tell(id);
      });
      return page.at(-1)?.id ?? null;
    },
  };
}
export type CampaignActivities = ReturnType<typeof campaignActivities>;
