import { STOP_REASONS } from '../../../db/entities/campaigns.ts';
import { sql, type RawBuilder } from '../../../db/orm.ts';

/**
 * Whether the email or message `e` (anything with tenant_id and execution_id) is of a step of an execution that was
 * stopped. What one queued that ended by itself still goes. Asked when it is started, because one that was SENDING at
 * the stop may be QUEUED again. A subquery with a value, which Postgres looks up one by one.
 */
export const isStopped: RawBuilder<unknown> = sql`(e.execution_id is not null and (
  select x.status = 'STOPPED' and x.exit_reason in (${sql.raw(STOP_REASONS.map((reason) => `'${reason}'`).join(', '))})
  from campaign_executions x where x.tenant_id = e.tenant_id and x.id = e.execution_id))`;
