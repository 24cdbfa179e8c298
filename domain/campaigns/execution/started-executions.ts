import { rows, sql, type EntityManager } from '../../../db/orm.ts';

export interface StartedWorkflow {
  executionId: number;
  workflowId: string;
  /** Null if the workflow had already ended. */
  runId: string | null;
}

/**
 * Stores the run ids of workflows that were just started. Returns those whose execution was stopped or deleted in the
 * meantime: the caller must close these workflows, because the stop may have looked for them before they were started.
 */
export async function noteStarted(
  em: EntityManager,
  tenantId: string,
  started: StartedWorkflow[],
): Promise<StartedWorkflow[]> {
  const payload = JSON.stringify(started.map(({ executionId, runId }) => ({ id: executionId, run_id: runId })));
  const live = await em.transactional((tx) =>
    rows<{ id: number; status: string }>(
      tx,
      sql`
    update campaign_executions e set run_id = coalesce(e.run_id, r.run_id)
    from jsonb_to_recordset(${payload}::jsonb) as r(id bigint, run_id text)
    where e.tenant_id = ${tenantId} and e.id = r.id
    returning e.id, e.status`,
    ),
  );
  const wanted = new Set(live.filter((row) => row.status !== 'STOPPED').map((row) => row.id));
  return started.filter(({ executionId }) => !wanted.has(executionId));
}
