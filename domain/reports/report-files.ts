import { sql, type EntityManager } from '../../db/orm.ts';
import { releaseFiles } from '../common/kept-files.ts';

/** How long the file of a run is kept. */
export const KEPT_DAYS = 90;
/** The most recent runs of a report that are kept, with their files. */
const MOST_RUNS = 100;
/** The bytes of all files of a tenant's reports together: older ones make room, for forms store files in the same place. */
const MOST_BYTES = 64 * 1024 * 1024;
const AT_ONCE = 1000;

/** When the file of a run that ended at `finishedAt` is removed, unless it has to make room before. */
export const expiryOf = (finishedAt: Date): Date => new Date(finishedAt.getTime() + KEPT_DAYS * 86_400_000);

/** Deletes the runs of a report, or only those before the most recent ones, and releases their files. */
export async function removeRuns(
  tx: EntityManager,
  { tenantId, id: reportId }: { tenantId: string; id: number },
  which: 'all' | 'old',
): Promise<void> {
  const recent = sql`
    select id from analytics_report_runs where tenant_id = ${tenantId} and report_id = ${reportId}
    order by id desc limit ${which === 'all' ? 0 : MOST_RUNS}`;
  await releaseFiles(
    tx,
    sql`
    delete from analytics_report_runs where tenant_id = ${tenantId} and report_id = ${reportId} and id not in (${recent})
    returning tenant_id, object_key`,
  );
}

/** Releases the oldest files of a tenant's reports beyond what they may have together. */
export async function makeRoom(tx: EntityManager, tenantId: string, mostBytes = MOST_BYTES): Promise<void> {
  await releaseFiles(
    tx,
    sql`
    update analytics_report_runs r set object_key = null
    from (
      select id, sum(size) over (order by id desc) as total from analytics_report_runs
      where tenant_id = ${tenantId} and object_key is not null) k
    where r.tenant_id = ${tenantId} and r.id = k.id and k.total > ${mostBytes} and r.object_key is not null
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
