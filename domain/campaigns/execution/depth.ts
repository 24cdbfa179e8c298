import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import type { Origin } from '../../../events/outbox.ts';

/**
 * How many executions in a row may cause one another: a step changes a list or a score, which enters the contact into
 * the next campaign. What goes on for longer is a loop of campaigns.
 */
export const MAX_DEPTH = 10;

const CAUSE = /^execution#(\d{1,16})$/;

/** The request id of what a step of an execution does. `#` is in no request id of a client. */
export const causedBy = (executionId: number): string => `execution#${executionId}`;

/** Whether something was caused by a step of an execution. */
export const isByExecution = (requestId: string | null): boolean => CAUSE.test(requestId ?? '');

/** The depth of executions that enter because of this request, or of this execution's step. */
export async function depthOf(tx: EntityManager, { tenantId, requestId }: Origin): Promise<number> {
  const [, executionId] = CAUSE.exec(requestId ?? '') ?? [];
  if (executionId === undefined) return 1;
  const [cause] = await rows<{ depth: number }>(
    tx,
    sql`select depth from campaign_executions where tenant_id = ${tenantId} and id = ${executionId}::bigint`,
  );
  return cause ? cause.depth + 1 : 1;
}
