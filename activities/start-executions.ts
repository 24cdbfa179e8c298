import { TypedSearchAttributes, WorkflowNotFoundError } from '@temporalio/common';
import type { Deps } from '../config/deps.ts';
import { MAILING_QUEUE, searchAttributes, startWorkflow, wakeWorkflow, type WorkflowStart } from '../config/temporal.ts';
import { tenantEm } from '../db/orm.ts';
import { executionWorkflowId, type ExecutionStart } from '../domain/campaigns/execution/execution.ts';
import { noteStarted, type StartedWorkflow } from '../domain/campaigns/execution/started-executions.ts';
import { eachBounded } from './each-bounded.ts';
import type { EmailCampaignInput } from './email-campaigns.ts';

const AT_ONCE = 20;

type StartDeps = Pick<Deps, 'orm' | 'temporal'>;

function executionStart(execution: ExecutionStart): WorkflowStart {
  const { tenantId, campaignId, campaignVersion, contactId, entryNo, runSeq, ahead } = execution;
  return {
    type: 'campaignExecution',
    id: executionWorkflowId(tenantId, campaignId, contactId, entryNo),
    input: { ...execution },
    again: runSeq > 1,
    summary: `campaign ${campaignId}, contact ${contactId}${entryNo > 1 ? `, entry ${entryNo}` : ''}`,
    searchAttributes: new TypedSearchAttributes([
      { key: searchAttributes.tenantId, value: tenantId },
      { key: searchAttributes.campaignId, value: campaignId },
      { key: searchAttributes.contactId, value: contactId },
      { key: searchAttributes.campaignVersion, value: campaignVersion },
      { key: searchAttributes.stepId, value: ahead.stepId },
      { key: searchAttributes.stepType, value: ahead.type },
    ]),
  };
}

/** Terminates a workflow; one that is over or was never started is a success. */
export async function closeWorkflow({ temporal }: Pick<Deps, 'temporal'>, workflowId: string, reason: string): Promise<void> {
  try {
    await temporal.workflow.getHandle(workflowId).terminate(reason);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/**
 * Starts the workflows of executions of one tenant, those that are there already too. Looks at the executions again after
 * that, and closes what was stopped meanwhile: a stop looks for workflows after it has written, so one of the two sees
 * the other. `onStarted` is called after each.
 */
export async function startExecutions(deps: StartDeps, executions: ExecutionStart[], onStarted = (): void => {}): Promise<void> {
  if (executions.length === 0) return;
  const started: StartedWorkflow[] = [];
  await eachBounded(executions, AT_ONCE, async (execution) => {
    const start = executionStart(execution);
    const runId = await startWorkflow(deps.temporal, start);
    started.push({ executionId: execution.executionId, workflowId: start.id, runId });
    onStarted();
  });
  const { tenantId } = executions[0]!;
  const orphans = await noteStarted(tenantEm(deps.orm, tenantId), tenantId, started);
  await eachBounded(orphans, AT_ONCE, ({ workflowId }) => closeWorkflow(deps, workflowId, 'stopped while it was started'));
}

function emailCampaignStart({ type, id, input }: { type: string; id: string; input: Record<string, unknown> }): WorkflowStart {
  const { tenantId, campaignId } = input as unknown as EmailCampaignInput;
  return {
    type, id, input, taskQueue: MAILING_QUEUE, summary: `email campaign ${campaignId}`,
    searchAttributes: new TypedSearchAttributes([{ key: searchAttributes.tenantId, value: tenantId }, { key: searchAttributes.campaignId, value: campaignId }]),
  };
}

/** Starts what the outbox says; an email campaign is woken. */
export async function startFromOutbox(deps: StartDeps, start: { type: string; id: string; input: Record<string, unknown> }): Promise<void> {
  if (start.type === 'campaignExecution') await startExecutions(deps, [start.input as unknown as ExecutionStart]);
  else if (start.type === 'emailCampaign') await wakeWorkflow(deps.temporal, emailCampaignStart(start), 'wake');
  else await startWorkflow(deps.temporal, start);
}
