import { rows, sql, type EntityManager } from '../../../db/orm.ts';

const PAGE = 200;

/** `sweep`: stopped, the workflow still to be closed. `parked`: came to a step while paused, the workflow to be woken. */
export type Mark = 'sweep' | 'parked';

export interface MarkedExecution {
  id: number;
  workflowId: string;
  /** Why it was stopped. */
  reason: string | null;
}

/** The next executions of a campaign, by id, that carry a mark. */
export async function markedExecutions(em: EntityManager, tenantId: string, campaignId: number, mark: Mark, after: number): Promise<MarkedExecution[]> {
  return em.transactional((tx) => rows<MarkedExecution>(tx, sql`
    select id, workflow_id as "workflowId", exit_reason as reason from campaign_executions
    where tenant_id = ${tenantId} and campaign_id = ${campaignId} and ${sql.ref(mark)} and id > ${after} order by id limit ${PAGE}`));
}

/** Takes the mark off stopped executions whose workflows are closed. */
export async function unmarkSwept(em: EntityManager, tenantId: string, ids: number[]): Promise<void> {
  await em.transactional((tx) => rows(tx, sql`
    update campaign_executions set sweep = false where tenant_id = ${tenantId} and id = any(${ids}::bigint[]) and sweep`));
}
