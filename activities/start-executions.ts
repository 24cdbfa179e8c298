import { WorkflowNotFoundError } from '@temporalio/common';
import type { Deps } from '../runtime/deps.ts';
import { startWorkflow } from '../runtime/temporal.ts';
import { tenantEm } from '../db/orm.ts';
import { noteStarted, type StartedWorkflow } from '../domain/campaigns/execution/started-executions.ts';
import { eachBounded } from './each-bounded.ts';
import { workflowId, type ExecutionInput, type WorkflowStart, type WorkflowWake } from '../registry/workflows.ts';

const AT_ONCE = 20;

type StartDeps = Pick<Deps, 'orm' | 'temporal'>;

/** Terminates a workflow; succeeds also if it has ended or was never started. */
export async function closeWorkflow({ temporal }: Pick<Deps, 'temporal'>, id: string, reason: string): Promise<void> {
  try {
    await temporal.workflow.getHandle(id).terminate(reason);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/** Sends a workflow the signal `wake`; succeeds also if it has ended or was never started. */
export async function wakeWorkflow({ temporal }: Pick<Deps, 'temporal'>, id: string): Promise<void> {
  try {
    await temporal.workflow.getHandle(id).signal('wake');
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
  }
}

/**
 * Starts the workflows of executions of one tenant, also if they run already. Then checks the executions again and
 * closes the workflows of those stopped in the meantime, and wakes those moved to another version: a stop and a
 * migration write first and then look for workflows, so one of the two sees the other. `onStarted` is called after each
 * start. `missing`: their workflows are known to be gone, see `startWorkflow`.
 */
export async function startExecutions(
  deps: StartDeps,
  executions: ExecutionInput[],
  { onStarted = () => {}, missing = false }: { onStarted?: () => void; missing?: boolean } = {},
): Promise<void> {
  if (executions.length === 0) return;
  const started: StartedWorkflow[] = [];
  await eachBounded(executions, AT_ONCE, async (execution) => {
    const id = workflowId('campaignExecution', execution);
    const runId = await startWorkflow(deps.temporal, { type: 'campaignExecution', id, input: execution }, { missing });
    const { executionId, campaignVersion } = execution;
    started.push({ executionId, campaignVersion, workflowId: id, runId });
    onStarted();
  });
  const { tenantId } = executions[0]!;
  const { orphans, moved } = await noteStarted(tenantEm(deps.orm, tenantId), tenantId, started, missing);
  await eachBounded(orphans, AT_ONCE, (orphan) =>
    closeWorkflow(deps, orphan.workflowId, 'stopped while it was being started'),
  );
  await eachBounded(moved, AT_ONCE, ({ workflowId: id }) => wakeWorkflow(deps, id));
}

/** Starts or wakes the workflow of an outbox row. */
export async function startFromOutbox(deps: StartDeps, start: WorkflowStart | WorkflowWake): Promise<void> {
  if (start.type === 'wake') await wakeWorkflow(deps, start.id);
  else if (start.type === 'campaignExecution') await startExecutions(deps, [start.input]);
  else await startWorkflow(deps.temporal, start);
}
