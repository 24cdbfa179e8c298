import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { ExecutionState, StepRequest } from './execution.ts';

/** An execution whose row is locked, with the data that running its step needs. */
export interface LockedExecution {
  campaignId: number;
  campaignVersion: number;
  campaignStatus: string;
  contactId: number;
  contactExists: boolean;
  timezone: string | null;
  status: string;
  exitReason: string | null;
  runSeq: number;
  stepSeq: number;
  state: ExecutionState;
  startedAt: Date;
}

/** Locks the row of an execution, which serialises a step and a stop. Returns undefined if there is none. */
export async function lockExecution(
  tx: EntityManager,
  { tenantId, executionId }: Pick<StepRequest, 'tenantId' | 'executionId'>,
): Promise<LockedExecution | undefined> {
  const [found] = await rows<LockedExecution>(
    tx,
    sql`
    select e.campaign_id as "campaignId", e.campaign_version as "campaignVersion", k.status as "campaignStatus",
      e.contact_id as "contactId", c.id is not null as "contactExists", c.timezone, e.status, e.exit_reason as "exitReason",
      e.run_seq as "runSeq", e.step_seq as "stepSeq", e.state, e.started_at as "startedAt"
    from campaign_executions e
    join campaigns k on k.tenant_id = e.tenant_id and k.id = e.campaign_id
    left join contacts c on c.tenant_id = e.tenant_id and c.id = e.contact_id
    where e.tenant_id = ${tenantId} and e.id = ${executionId}
    for no key update of e`,
  );
  return found;
}
