import { randomUUID } from 'node:crypto';
import type { StopReason } from '../../../db/entities/campaigns.ts';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendWorkflow } from '../../../events/outbox.ts';
import { suppressMessages } from '../../channels/queue/suppress-messages.ts';
import { suppressEmailsOfExecutions } from '../../emails/ledger/suppress-emails.ts';

/** Why the executions of a contact are stopped. */
export type ContactExitReason = Exclude<StopReason, 'campaign_stopped' | 'stopped_by_user' | 'restored'>;

/**
 * Sets the running executions among `which` (a condition on `e`, of one tenant) to STOPPED: none of their steps runs
 * again, and their QUEUED emails and messages are SUPPRESSED; what is SENDING and becomes QUEUED again is SUPPRESSED when
 * it is started (`isStopped`). Flags their workflows, which the workflow `campaignStop` closes.
 * Returns the ids of the campaigns concerned.
 */
export async function stopExecutions(
  tx: EntityManager,
  tenantId: string,
  which: ReturnType<typeof sql>,
  reason: StopReason,
): Promise<number[]> {
  const found = await rows<{ campaign_id: number }>(
    tx,
    sql`
    with stopped as (
      update campaign_executions e
      set status = 'STOPPED', exit_reason = ${reason}, finished_at = now(), updated_at = now(), sweep = true, parked = false
      where e.tenant_id = ${tenantId} and e.status = 'RUNNING' and ${which}
      returning e.id, e.campaign_id
    ), suppressed as (
      ${suppressEmailsOfExecutions(tenantId, sql`stopped`, 'stopped')}
    ), forgotten as (
      delete from awaited_events a using stopped where a.tenant_id = ${tenantId} and a.execution_id = stopped.id
    )
    select distinct campaign_id from stopped order by campaign_id`,
  );
  if (found.length > 0) {
    const stopped = sql`select e.id from campaign_executions e where e.tenant_id = ${tenantId} and e.status = 'STOPPED' and ${which}`;
    await suppressMessages(tx, tenantId, sql`execution_id in (${stopped})`, 'stopped');
  }
  return found.map((row) => row.campaign_id);
}

/**
 * Stops the running executions of a contact, in the transaction `tx` of the tenant or the engine; for `unsubscribed`
 * only those of campaigns with `exitOnUnsubscribe`. Executions that started after `startedBefore` continue.
 */
export async function stopExecutionsOfContact(
  tx: EntityManager,
  tenantId: string,
  contactId: number,
  reason: ContactExitReason,
  startedBefore = new Date(),
): Promise<void> {
  const leaves =
    reason !== 'unsubscribed'
      ? sql`true`
      : sql`exists (
    select 1 from campaign_versions v
    where v.tenant_id = e.tenant_id and v.campaign_id = e.campaign_id and v.version = e.campaign_version
      and (v.definition -> 'entry' ->> 'exitOnUnsubscribe')::boolean)`;
  const which = sql`e.contact_id = ${contactId} and e.started_at <= ${startedBefore}::timestamptz and ${leaves}`;
  const campaignIds = await stopExecutions(tx, tenantId, which, reason);
  if (campaignIds.length > 0)
    await appendWorkflow(tx, 'campaignStop', { tenantId, campaignIds, cause: `contact-${contactId}/${randomUUID()}` });
}
