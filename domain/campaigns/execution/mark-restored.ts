import { randomUUID } from 'node:crypto';
import { rows, sql, type EntityManager } from '../../../db/orm.ts';
import { appendWorkflow } from '../../../events/outbox.ts';
import { isNoYounger, isOfCopy } from '../../addresses/row-age.ts';
import { stopExecutions } from './stop-executions.ts';

const PAGE = 500;

/** An execution of a copy to which Postgres was put back, which is RUNNING in it. */
export interface OpenExecution {
  id: number;
  tenantId: string;
  workflowId: string;
}

/**
 * The next RUNNING executions after an id, of all tenants; without those that began after the copy, if `since` names its
 * time. Engine `em`.
 */
export const openExecutions = (em: EntityManager, after: number, since: Date | null): Promise<OpenExecution[]> =>
  em.transactional((tx) =>
    rows<OpenExecution>(
      tx,
      sql`
      select id, tenant_id as "tenantId", workflow_id as "workflowId" from campaign_executions
      where status = 'RUNNING' and workflow_id is not null and id > ${after} and ${isOfCopy(sql`started_at`, since)}
      order by id limit ${PAGE}`,
    ),
  );

/**
 * Stops executions of one tenant whose workflows went on after the copy was taken: what they did is not known, and they
 * would do it again. Tenant or engine `tx`.
 */
export async function stopRestored(tx: EntityManager, tenantId: string, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return;
  const campaignIds = await stopExecutions(tx, tenantId, sql`e.id = any(${[...ids]}::bigint[])`, 'restored');
  if (campaignIds.length > 0)
    await appendWorkflow(tx, 'campaignStop', { tenantId, campaignIds, cause: `restored/${randomUUID()}` });
}

/** An entry into a campaign that Temporal knows of and the copy does not. */
export interface ForgottenEntry {
  tenantId: string;
  campaignId: number;
  contactId: number;
  entryNo: number;
  workflowId: string;
  runId: string;
  startedAt: Date;
}

/**
 * Writes entries of people and campaigns that the copy knows as executions that were STOPPED, so that nobody enters for
 * the same reason again; also into a campaign that the copy has as a draft. Not of those who were given the ids later.
 * Returns how many were written. Engine `tx`.
 */
export async function noteForgottenEntries(tx: EntityManager, entries: readonly ForgottenEntry[]): Promise<number> {
  const payload = JSON.stringify(
    entries.map((one) => ({
      ...{ tenant_id: one.tenantId, campaign_id: one.campaignId, contact_id: one.contactId, entry_no: one.entryNo },
      ...{ workflow_id: one.workflowId, run_id: one.runId, started_at: one.startedAt },
    })),
  );
  const noted = await rows(
    tx,
    sql`
    insert into campaign_executions (tenant_id, campaign_id, campaign_version, contact_id, entry_no, entry_key, state, status, exit_reason,
                                     workflow_id, run_id, started_at, finished_at)
    select r.tenant_id, r.campaign_id, coalesce(k.published_version, 1), r.contact_id, r.entry_no, 'restored/' || r.run_id, '{}', 'STOPPED', 'restored',
           r.workflow_id, r.run_id, r.started_at, now()
    from jsonb_to_recordset(${payload}::jsonb) as r(
      tenant_id text, campaign_id bigint, contact_id bigint, entry_no int, workflow_id text, run_id text, started_at timestamptz)
    join campaigns k on k.tenant_id = r.tenant_id and k.id = r.campaign_id
    join contacts c on c.tenant_id = r.tenant_id and c.id = r.contact_id
    where ${isNoYounger(sql`k.created_at`, sql`r.started_at`)} and ${isNoYounger(sql`c.created_at`, sql`r.started_at`)}
    on conflict do nothing returning id`,
  );
  return noted.length;
}

/** Which of these workflows belong to executions that are RUNNING. Engine `tx`. */
export const runningWorkflows = (tx: EntityManager, ids: readonly string[]): Promise<{ workflowId: string }[]> =>
  rows(
    tx,
    sql`
    select e.workflow_id as "workflowId" from unnest(${[...ids]}::text[]) with ordinality w(id, n)
    join campaign_executions e on e.status = 'RUNNING' and e.tenant_id = split_part(w.id, '/', 2)
      and e.campaign_id = split_part(w.id, '/', 3)::bigint and e.contact_id = split_part(w.id, '/', 4)::bigint and e.entry_no = split_part(w.id, '/', 5)::int`,
  );
