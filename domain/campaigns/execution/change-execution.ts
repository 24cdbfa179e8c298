import { LockMode } from '@mikro-orm/core';
import { CampaignExecution, OPEN_STATUSES } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendWorkflow, type Origin } from '../../../events/outbox.ts';
import { AppError, notFound } from '../../../lib/checks/errors.ts';
import type { ExecutionStart, ExecutionState } from './execution.ts';
import { stopExecutions } from './stop-executions.ts';

/** Stops one execution. No-op if it has ended. Throws 404. */
export async function stopExecution(em: EntityManager, { tenantId }: Origin, id: number): Promise<CampaignExecution> {
  return em.transactional(async (tx) => {
    const campaignIds = await stopExecutions(tx, tenantId, sql`e.id = ${id}`, 'stopped_by_user');
    const execution = await tx.findOne(CampaignExecution, { id });
    if (!execution) throw notFound('execution', id);
    if (campaignIds.length > 0)
      await appendWorkflow(tx, 'campaignStop', { tenantId, campaignIds, cause: `execution-${id}/${execution.runSeq}` });
    return execution;
  });
}

/**
 * Resumes an execution at its current step, as a new run of its workflow: one that is FAILED at that step, or RUNNING
 * in the run `lostRun`, of which the caller knows that it has no open workflow. Throws 404, and 409 if it is neither, or
 * its campaign is neither ACTIVE nor PAUSED.
 */
export async function retryExecution(
  em: EntityManager,
  { tenantId }: Origin,
  id: number,
  lostRun: number | null = null,
): Promise<CampaignExecution> {
  return em.transactional(async (tx) => {
    const execution = await tx.findOne(CampaignExecution, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
    if (!execution) throw notFound('execution', id);
    const { campaignId, campaignVersion, contactId, entryNo, workflowId } = execution;
    const { status } = execution;
    if (status === 'RUNNING' && execution.runSeq !== lostRun)
      throw new AppError('conflict', 'The execution is RUNNING, and so is its workflow');
    if (status !== 'FAILED' && status !== 'RUNNING')
      throw new AppError('conflict', `The execution is ${status}; only a FAILED execution can be retried`);
    const [open] = await rows<{ name: string }>(
      tx,
      sql`
      select name from campaigns where tenant_id = ${tenantId} and id = ${campaignId} and status = any(${OPEN_STATUSES}::text[]) for share`,
    );
    if (!open) throw new AppError('conflict', 'The campaign of the execution is neither ACTIVE nor PAUSED');
    const runSeq = execution.runSeq + 1;
    tx.assign(execution, {
      status: 'RUNNING',
      runSeq,
      exitReason: null,
      finishedAt: null,
      runId: null,
      updatedAt: new Date(),
    });
    await tx.flush();
    const { ahead } = execution.state as ExecutionState;
    const start: ExecutionStart = {
      tenantId,
      campaignId,
      campaignName: open.name,
      campaignVersion,
      contactId,
      entryNo,
      executionId: id,
      runSeq,
      ahead,
      // Only what ended as it began has none.
      workflowId: workflowId!,
    };
    await appendWorkflow(tx, 'campaignExecution', start);
    return execution;
  });
}
