import { rows, sql, type EntityManager } from '../../../db/orm.ts';

/** The columns of an `ExecutionStart`, of an execution `e` and its campaign `c`. */
export const EXECUTION_START = sql`
  e.tenant_id as "tenantId", e.campaign_id as "campaignId", e.campaign_version as "campaignVersion", e.contact_id as "contactId",
  e.entry_no as "entryNo", e.id as "executionId", e.run_seq as "runSeq", e.state -> 'ahead' as ahead, c.name as "campaignName",
  e.workflow_id as "workflowId"`;

export interface StartedWorkflow {
  executionId: number;
  /** The version with which the workflow was started. */
  campaignVersion: number;
  workflowId: string;
  /** Null if the workflow had already ended. */
  runId: string | null;
}

/**
 * Stores the run ids of workflows that were just started. Returns those whose execution was stopped or deleted in the
 * meantime (`orphans`), which the caller must close, and those whose execution was moved to another version (`moved`),
 * which it must wake: the stop or the migration may have looked for them before they were started. `missing`: they replace
 * workflows that are gone, with the run ids that the rows have.
 */
export async function noteStarted(
  em: EntityManager,
  tenantId: string,
  started: StartedWorkflow[],
  missing = false,
): Promise<{ orphans: StartedWorkflow[]; moved: StartedWorkflow[] }> {
  const payload = JSON.stringify(
    started.map(({ executionId, workflowId, runId }) => ({ id: executionId, workflow_id: workflowId, run_id: runId })),
  );
  const live = await em.transactional((tx) =>
    rows<{ id: number; status: string; version: number }>(
      tx,
      sql`
    update campaign_executions e set workflow_id = coalesce(e.workflow_id, r.workflow_id),
      run_id = ${missing ? sql`coalesce(r.run_id, e.run_id)` : sql`coalesce(e.run_id, r.run_id)`}
    from jsonb_to_recordset(${payload}::jsonb) as r(id bigint, workflow_id text, run_id text)
    where e.tenant_id = ${tenantId} and e.id = r.id
    returning e.id, e.status, e.campaign_version as version`,
    ),
  );
  const versions = new Map(live.flatMap(({ id, status, version }) => (status === 'STOPPED' ? [] : [[id, version]])));
  return {
    orphans: started.filter(({ executionId }) => !versions.has(executionId)),
    moved: started.filter(({ executionId, campaignVersion }) => {
      const version = versions.get(executionId);
      return version !== undefined && version !== campaignVersion;
    }),
  };
}
