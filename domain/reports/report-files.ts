import { sql, type EntityManager } from '../../db/orm.ts';
import { releaseFiles } from '../common/kept-files.ts';

/** How long the file of a run is kept. */
export const KEPT_DAYS = 90;
/** The most recent runs of a report that are kept, with their files. */
const MOST_RUNS = 100;
/** The bytes of all files of a tenant's reports together: older ones make room, for forms store files in the same place. */
export const MOST_BYTES = 64 * 1024 * 1024;
const AT_ONCE = 1000;

/** Whether no email can need the file of the run `r` any more; one that is UNKNOWN may be sent again. */
const isMailed = sql`not exists (
  select 1 from emails e where e.tenant_id = r.tenant_id and e.id = any(r.email_ids) and e.status in ('QUEUED', 'SENDING', 'UNKNOWN'))`;

/** When the file of a run that ended at `finishedAt` is removed, unless it has to make room before. */
export const expiryOf = (finishedAt: Date): Date => new Date(finishedAt.getTime() + KEPT_DAYS * 86_400_000);

interface ReportId {
  tenantId: string;
  id: number;
}

/** Deletes all runs of a report, and releases their files. */
export async function removeRuns(tx: EntityManager, { tenantId, id }: ReportId): Promise<void> {
  await releaseFiles(
    tx,
    sql`
    delete from analytics_report_runs where tenant_id = ${tenantId} and report_id = ${id} returning tenant_id, object_key`,
  );
}

/** Deletes the runs of a report before the most recent ones, and releases their files; not those that are still needed. */
export async function removeOldRuns(tx: EntityManager, { tenantId, id }: ReportId): Promise<void> {
  await releaseFiles(
    tx,
    sql`
    delete from analytics_report_runs r
    where tenant_id = ${tenantId} and report_id = ${id} and status in ('COMPLETED', 'FAILED') and ${isMailed}
      and id not in (
        select id from analytics_report_runs where tenant_id = ${tenantId} and report_id = ${id}
        order by finished_at desc nulls first, id desc limit ${MOST_RUNS})
    returning tenant_id, object_key`,
  );
}

/**
 * Releases the oldest files of a tenant's reports beyond what they may have together: not that of the run that is being
 * completed, nor those that emails still need.
 */
export async function makeRoom(
  tx: EntityManager,
  { tenantId, id: runId }: { tenantId: string; id: number },
  mostBytes = MOST_BYTES,
): Promise<void> {
  await releaseFiles(
    tx,
    sql`
    update analytics_report_runs r set object_key = null
    from (
      select id, sum(size) over (order by id = ${runId} desc, finished_at desc, id desc) as total from analytics_report_runs
      where tenant_id = ${tenantId} and object_key is not null) k
    where r.tenant_id = ${tenantId} and r.id = k.id and k.total > ${mostBytes} and r.object_key is not null
      and r.id <> ${runId} and ${isMailed}
    returning r.tenant_id, old.object_key`,
  );
}

/** Releases files that have been kept long enough, of all tenants (engine `em`). Returns how many; call until 0. */
export async function expireReportFiles(em: EntityManager): Promise<number> {
  return em.transactional((tx) =>
    releaseFiles(
      tx,
      sql`
      update analytics_report_runs r set object_key = null
      from (
        select tenant_id, id from analytics_report_runs
        where object_key is not null and finished_at < now() - make_interval(days => ${KEPT_DAYS}) limit ${AT_ONCE} for update skip locked) k
      where r.tenant_id = k.tenant_id and r.id = k.id returning r.tenant_id, old.object_key`,
    ),
  );
}
