import { rows, sql, type EntityManager } from '../../../db/orm.ts';

const PAGE = 200;

/** `sweep`: stopped, workflow still to be closed. `parked`: reached a step while paused, workflow to be woken. */
export type ExecutionFlag = 'sweep' | 'parked';

export interface FlaggedExecution {
  id: number;
  workflowId: string;
  /** The exit reason of a stopped execution. */
  reason: string | null;
}

/** The next executions of a campaign, in id order, that have a flag. */
export async function flaggedExecutions(
  em: EntityManager,
  tenantId: string,
  campaignId: number,
  flag: ExecutionFlag,
  after: number,
): Promise<FlaggedExecution[]> {
  return em.transactional((tx) =>
    rows<FlaggedExecution>(
      tx,
      sql`
    select id, workflow_id as "workflowId", exit_reason as reason from campaign_executions
    where tenant_id = ${tenantId} and campaign_id = ${campaignId} and ${sql.ref(flag)} and id > ${after} order by id limit ${PAGE}`,
    ),
  );
}

/** Clears the `sweep` flag of stopped executions whose workflows are closed. */
export async function clearSweepFlag(em: EntityManager, tenantId: string, ids: number[]): Promise<void> {
  await em.transactional((tx) =>
    rows(
      tx,
      sql`
    update campaign_executions set sweep = false where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) and sweep`,
    ),
  );
}
